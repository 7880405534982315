import type { Suggestion } from '../contracts/dashboard.ts';
import type { AdapterList, AdapterSummary, RunSummary, TrainingStatus } from '../contracts/feedback.ts';
import { learningPauseOf } from '../status/learningPause.ts';
import { count, figure, percent } from './format.ts';

const REJECTED: Record<string, string> = {
  escape: 'rejected with Escape',
  typedAgainst: 'rejected: something else was typed',
  movedAway: 'rejected: the caret left',
};

const ADAPTER_STATUS: Record<AdapterSummary['status'], string> = {
  base: 'base model',
  promoted: 'promoted',
  provisional: 'provisional',
  rejected: 'rejected by the gate',
  rolledBack: 'rolled back',
};

const TRAINING_STATE: Record<TrainingStatus['state'], string> = {
  idle: 'idle: nothing waits',
  waiting: 'waiting for more events',
  training: 'an update is under way',
  gating: 'the gate compares',
  paused: 'paused',
  error: 'in trouble',
};

const DROPPED: Record<string, string> = {
  unknownCompletion: 'of completions that the companion does not know',
  nothingToLearn: 'nothing to learn from',
  updateRejected: 'in updates that the gate refused',
  policyTooOld: 'policy terms of adapters that are too old',
};

/** What became of a suggestion. */
export function outcomeText({ outcome, shownChars }: Pick<Suggestion, 'outcome' | 'shownChars'>): string {
  if (outcome === null) return 'open';
  const part = `${count(outcome.chars ?? 0)} of ${count(shownChars)} characters`;
  switch (outcome.kind) {
    case 'accepted':
      return 'accepted';
    case 'partiallyAccepted':
      return `accepted in part: ${part}`;
    case 'typedThrough':
      return `typed out: ${part}`;
    case 'rejected':
      return REJECTED[outcome.how ?? ''] ?? 'rejected';
    case 'ignored':
      return 'ignored';
    case 'suppressed':
      return 'hidden by a filter';
    case 'silent':
      return 'the model chose none';
    default:
      return outcome.kind;
  }
}

/** What is there now: how much of the taken text, or what was typed instead. */
export function afterwardsText({ kept, typed }: Pick<Suggestion, 'kept' | 'typed'>): string {
  if (kept !== null) return `${percent(kept)} still there`;
  return typed === null || typed === '' ? '' : `typed: ${typed}`;
}

/** What became of a version, with the outcomes that took it out of service where those did. */
export function adapterStatusText({ status, figures }: Pick<AdapterSummary, 'status' | 'figures'>): string {
  const judged = figures['fuse/judged'];
  if (status !== 'rolledBack' || judged === undefined) return ADAPTER_STATUS[status];
  const before = `${count(figures['fuse/accepted_before'])} of ${count(figures['fuse/judged_before'])}`;
  return `rolled back: ${count(figures['fuse/accepted'])} of ${count(judged)} taken, ${before} before`;
}

/** What learning does, or why it doesn't. */
export function trainingStateText(training: TrainingStatus): string {
  if (training.pausedByUser === true) return 'paused until it is resumed';
  const pause = learningPauseOf(training);
  return pause === null ? TRAINING_STATE[training.state] : `paused: ${pause.name}`;
}

/** Why nothing was learned from an event. */
export function droppedText(reason: string): string {
  return `Dropped: ${DROPPED[reason] ?? reason}`;
}

/** What is wrong with what is served or learned, a sentence each: alarms, and the version that was taken back. */
export function alarmTexts(training: TrainingStatus | null): string[] {
  if (training === null) return [];
  const { served, rolledBack, lastRun } = training;
  return [
    ...(served?.alarms ?? []),
    ...(lastRun === null ? [] : updateAlarmTexts(lastRun)),
    ...(rolledBack === undefined
      ? []
      : [
          `Version ${rolledBack.version} was taken out of service, version ${rolledBack.target} serves again: ${rolledBack.reason}`,
        ]),
  ];
}

/** Whether a version can be brought into service: it has a file, and it is of the model that serves. */
export function canActivate(adapter: AdapterSummary, { adapters }: AdapterList): boolean {
  const base = adapters.find(({ status }) => status === 'base');
  return !adapter.active && adapter.collected !== true && adapter.modelHash === base?.modelHash;
}

function updateAlarmTexts({ figures }: RunSummary): string[] {
  const difference = figure(figures['rollout/engine_logprob_diff']);
  const share = percent(figures['rollout/effective_sample_share']);
  return [
    ...(figures['alarm/engineMismatch'] === 1
      ? [`Last update: serving and training differ by ${difference} nats a token.`]
      : []),
    ...(figures['alarm/fewEffectiveSamples'] === 1
      ? [`Last update: only ${share} of its policy samples count.`]
      : []),
  ];
}
