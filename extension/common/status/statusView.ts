import type { Health } from '../contracts/completion.ts';
import type { RunSummary, TrainingStatus } from '../contracts/feedback.ts';
import { learningPauseOf } from './learningPause.ts';
import { describeSnooze, type SnoozeRest } from './snooze.ts';
import { acceptRate, type DayTally } from './today.ts';

/** What the extension knows about itself and the companion at one moment. */
export interface Situation {
  companion: { kind: 'starting' | 'ready' | 'stopped' } | { kind: 'error'; message: string };
  /** The other machine that serves, or is to; null: this one. */
  remote: { host: string; warning: string | null } | null;
  /** The store can't be written: nothing is learned. */
  storeError: string | null;
  tracking: boolean;
  /** The user hasn't said yet whether anything may be recorded. */
  unanswered: boolean;
  trusted: boolean;
  completions: boolean;
  /** What is left of a snooze; null: none. */
  snooze: SnoozeRest | null;
  /** Of the document that has the focus. */
  language: { id: string; off: boolean } | null;
  /** A folder is open. */
  inWorkspace: boolean;
  /** Why Hone is off in the document that has the focus; null: it isn't, or there is none. */
  offHere: OffReason | null;
  model: string | null;
  /** Why another model than the chosen one serves; null: the chosen one does. */
  fellBack: string | null;
  /** Last known; null before the first answer. */
  training: TrainingStatus | null;
  /** Null: not read yet. */
  today: DayTally | null;
}

export type OffReason = 'excluded' | 'ignoredByGit' | 'language';

type StatusKind =
  | 'starting'
  | 'ready'
  | 'fellBack'
  | 'learning'
  | 'snoozed'
  | 'completionsOff'
  | 'unanswered'
  | 'trackingOff'
  | 'offHere'
  | 'error';

interface StatusView {
  kind: StatusKind;
  /** Of the status-bar item, with its icon. */
  text: string;
  /** Lines of the tooltip. */
  tooltip: string[];
  /** What Hone does, in a few words. */
  name: string;
  /** All of it in a sentence or two, for a screen reader. */
  accessible: string;
}

const ICONS: Record<StatusKind, string> = {
  starting: '$(sync~spin)',
  ready: '$(sparkle)',
  fellBack: '$(warning)',
  learning: '$(sync~spin)',
  snoozed: '$(bell-slash)',
  completionsOff: '$(circle-slash)',
  unanswered: '$(question)',
  trackingOff: '$(circle-slash)',
  offHere: '$(eye-closed)',
  error: '$(error)',
};

const NAMES: Record<StatusKind, string> = {
  starting: 'starting',
  ready: 'ready',
  fellBack: 'embedded model',
  learning: 'learning',
  snoozed: 'snoozed',
  completionsOff: 'suggestions off',
  unanswered: 'may it learn?',
  trackingOff: 'tracking off',
  offHere: 'off in this file',
  error: 'error',
};

const OFF_REASONS: Record<OffReason, string> = {
  excluded: 'Nothing is offered or recorded in this file: it is excluded, as files with secrets are.',
  ignoredByGit: 'Nothing is offered or recorded in this file: git ignores it.',
  language: 'Nothing is offered or recorded in this language: it is switched off.',
};

/** What the status bar says. An error comes before everything, what is off before ready and learning. */
export function statusView(situation: Situation): StatusView {
  const kind = kindOf(situation);
  const name = nameOf(kind, situation);
  const tooltip = tooltipOf(situation);
  return {
    kind,
    name,
    text: [`${ICONS[kind]} Hone: ${name}`, ...figuresOf(kind, situation), ...machineOf(situation)].join(
      ' · ',
    ),
    tooltip,
    accessible: [`Hone: ${name}`, ...tooltip].map((line) => line.replace(/\.?$/, '.')).join(' '),
  };
}

/** Why nothing is offered in a document, a sentence; null: nothing is in the way. */
export function whyNothingIsOffered({ completions, snooze, offHere }: Situation): string | null {
  if (!completions) return 'Suggestions are switched off.';
  if (snooze !== null) return `Hone is snoozed: ${describeSnooze(snooze)}.`;
  return offHere === null ? null : OFF_REASONS[offHere];
}

/** The error in force, or null. */
export function errorOf({ companion, storeError, training }: Situation): string | null {
  if (companion.kind === 'error') return companion.message;
  if (storeError !== null) return storeError;
  if (companion.kind === 'ready' && training?.state === 'error') return training.error ?? 'Training failed.';
  return null;
}

/** Why completions are made from the text before the caret alone; null when they are not. */
export function prefixOnlyReason({ fim, prefixOnly }: Health): string | null {
  if (fim) return null;
  return prefixOnly === 'setting'
    ? 'fill-in-the-middle is switched off by hone.completions.fimTemplate: prefix only'
    : 'has no fill-in-the-middle tokens: prefix only';
}

/** `promoted as version 3: …` */
export function describeRun(run: RunSummary): string {
  const version = run.version === null ? '' : ` (version ${run.version})`;
  return `${run.decision}${version}, ${run.events} events: ${run.reason}`;
}

function kindOf(situation: Situation): StatusKind {
  if (errorOf(situation) !== null) return 'error';
  if (situation.companion.kind !== 'ready') return 'starting';
  if (situation.snooze !== null) return 'snoozed';
  if (!situation.completions) return 'completionsOff';
  if (situation.offHere !== null) return 'offHere';
  if (situation.unanswered && situation.trusted) return 'unanswered';
  if (!situation.tracking || !situation.trusted) return 'trackingOff';
  const { state, progress, pausedBecause } = situation.training ?? {};
  // An update that rests while a completion is in flight is paused, and under way all the same.
  const underWay = state === 'training' || state === 'gating' || progress !== undefined;
  if (underWay && pausedBecause === undefined) return 'learning';
  return situation.fellBack === null ? 'ready' : 'fellBack';
}

function nameOf(kind: StatusKind, { snooze, offHere, training }: Situation): string {
  if (kind === 'snoozed') return `snoozed, ${describeSnooze(snooze!)}`;
  if (kind === 'ready' && training?.pausedByUser) return 'ready, learning paused';
  const pause = learningPauseOf(training);
  if (kind === 'ready' && pause !== null) return `ready, learning paused: ${pause.name}`;
  if (kind === 'offHere' && offHere === 'language') return 'off in this language';
  return NAMES[kind];
}

/** Accept rate of today and adapter version, where Hone works and they are known. */
function figuresOf(kind: StatusKind, { today, training }: Situation): string[] {
  if (kind !== 'ready' && kind !== 'learning' && kind !== 'trackingOff') return [];
  const rate = today && acceptRate(today);
  const version = training?.adapterVersion ?? 0;
  return [...(rate === null ? [] : [rate]), ...(version === 0 ? [] : [`v${version}`])];
}

function machineOf({ remote }: Situation): string[] {
  if (remote === null) return [];
  return [remote.warning === null ? remote.host : `${remote.host}, unencrypted`];
}

function tooltipOf(situation: Situation): string[] {
  const { training, model, today, remote } = situation;
  const lines: string[] = [];
  const error = errorOf(situation);
  if (error !== null) lines.push(error);
  const nothing = whyNothingIsOffered(situation);
  if (nothing !== null) lines.push(nothing);
  if (situation.fellBack !== null) lines.push(situation.fellBack);
  if (remote !== null) lines.push(`Served by ${remote.host}`);
  if (remote?.warning) lines.push(remote.warning);
  if (today !== null) lines.push(`Taken today: ${today.taken} of ${today.judged} suggestions`);
  if (model !== null) lines.push(`Model: ${model}`);
  if (training) {
    lines.push(`Adapter version: ${training.adapterVersion}`);
    lines.push(
      `Events: ${training.stored} stored, ${training.queued} waiting, ${training.trained} learned from`,
    );
    const pause = learningPauseOf(training);
    if (pause !== null) lines.push(pause.sentence);
    lines.push(`Last decision: ${training.lastRun ? describeRun(training.lastRun) : 'none yet'}`);
  }
  lines.push(trackingLine(situation), 'Click for the menu.');
  return lines;
}

function trackingLine({ tracking, unanswered, trusted }: Situation): string {
  if (!trusted) return 'Tracking is off: the workspace is not trusted.';
  if (unanswered) return 'Nothing is recorded or learned before you say that it may be.';
  return `Tracking is ${tracking ? 'on' : 'off'}.`;
}
