import type { Health } from '../contracts/completion.ts';
import type { RunSummary, TrainingStatus } from '../contracts/feedback.ts';

/** What the extension knows about itself and the companion at one moment. */
export interface Situation {
  companion: { kind: 'starting' | 'ready' | 'stopped' } | { kind: 'error'; message: string };
  /** The store can't be written: nothing is learned. */
  storeError: string | null;
  tracking: boolean;
  trusted: boolean;
  completions: boolean;
  /** Why Hone is off in the document that has the focus; null: it isn't, or there is none. */
  offHere: OffReason | null;
  model: string | null;
  /** Last known; null before the first answer. */
  training: TrainingStatus | null;
}

export type OffReason = 'excluded' | 'ignoredByGit';

type StatusKind = 'starting' | 'ready' | 'learning' | 'trackingOff' | 'offHere' | 'error';

interface StatusView {
  kind: StatusKind;
  /** Of the status-bar item, with its icon. */
  text: string;
  /** Lines of the tooltip, Markdown. */
  tooltip: string[];
}

const ICONS: Record<StatusKind, string> = {
  starting: '$(sync~spin)',
  ready: '$(sparkle)',
  learning: '$(sync~spin)',
  trackingOff: '$(circle-slash)',
  offHere: '$(eye-closed)',
  error: '$(error)',
};

const NAMES: Record<StatusKind, string> = {
  starting: 'starting',
  ready: 'ready',
  learning: 'learning',
  trackingOff: 'tracking off',
  offHere: 'off in this file',
  error: 'error',
};

const OFF_REASONS: Record<OffReason, string> = {
  excluded: 'Nothing is offered or recorded in this file: it is excluded, as files with secrets are.',
  ignoredByGit: 'Nothing is offered or recorded in this file: git ignores it.',
};

/** What the status bar says. An error comes before everything, what is off before ready and learning. */
export function statusView(situation: Situation): StatusView {
  const kind = kindOf(situation);
  return { kind, text: `${ICONS[kind]} Hone: ${NAMES[kind]}`, tooltip: tooltipOf(situation) };
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
  if (situation.offHere !== null) return 'offHere';
  if (!situation.tracking || !situation.trusted) return 'trackingOff';
  const { state, progress } = situation.training ?? {};
  // An update that rests while a completion is in flight is paused, and under way all the same.
  return state === 'training' || state === 'gating' || progress !== undefined ? 'learning' : 'ready';
}

function tooltipOf(situation: Situation): string[] {
  const { training, model } = situation;
  const lines: string[] = [];
  const error = errorOf(situation);
  if (error !== null) lines.push(error);
  if (situation.offHere !== null) lines.push(OFF_REASONS[situation.offHere]);
  if (model !== null) lines.push(`Model: ${model}`);
  if (training) {
    lines.push(`Adapter version: ${training.adapterVersion}`);
    lines.push(
      `Events: ${training.stored} stored, ${training.queued} waiting, ${training.trained} learned from`,
    );
    lines.push(`Last decision: ${training.lastRun ? describeRun(training.lastRun) : 'none yet'}`);
  }
  if (!situation.completions) lines.push('Completions are switched off.');
  lines.push(
    situation.trusted
      ? `Click to switch tracking ${situation.tracking ? 'off' : 'on'}.`
      : 'Tracking is off: the workspace is not trusted.',
  );
  return lines;
}
