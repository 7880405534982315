/** How the extension starts `hone serve`: the part of the command line that both sides have to agree on. */
import type { GpuKind } from './contributions.ts';

/** Tokens travel in the environment: a process's arguments can be read by every user of the machine. */
export const TOKEN_VARIABLE = 'HONE_TOKEN';
export const FEEDBACK_TOKEN_VARIABLE = 'HONE_FEEDBACK_TOKEN';

/**
 * The companion ends by itself when no request, `GET /health` included, reached it for this long: every window
 * asks for its health again and again, so it ends after the last window has gone.
 */
const EXIT_WHEN_IDLE_OPTION = '--exit-when-idle';
export const EXIT_WHEN_IDLE_SECONDS = 30;
/** Well inside the time above, and soon enough to find a killed companion. */
export const HEALTH_INTERVAL_MS = 1000;

export interface CompanionOptions {
  dataDir: string;
  /** 0: a free one. */
  inferencePort: number;
  feedbackPort: number;
  /** Empty: the embedded model. */
  modelPath: string;
  /** Code of the error of the model in whose place the embedded one serves; null: it serves by choice. */
  fellBack: string | null;
  gpu: GpuKind;
  /** 0: the companion's own choice. */
  threads: number;
  batchEvents: number;
  /** One of `FIM_CHOICES`. */
  fimTemplate: string;
  /** A configuration file, or null. */
  configPath: string | null;
}

/** Arguments of `hone` that start the companion. */
export function serveArguments(options: CompanionOptions): string[] {
  const args = ['serve', ...sharedArguments(options)];
  args.push('--batch-events', String(options.batchEvents));
  args.push(EXIT_WHEN_IDLE_OPTION, String(EXIT_WHEN_IDLE_SECONDS));
  if (options.fellBack !== null) args.push('--fell-back', options.fellBack);
  return args;
}

/** Arguments with which `hone doctor` looks at what `hone serve` would run with. */
export function doctorArguments(options: CompanionOptions): string[] {
  return ['doctor', ...sharedArguments(options)];
}

function sharedArguments(options: CompanionOptions): string[] {
  const args = ['--data-dir', options.dataDir];
  args.push('--inference-port', String(options.inferencePort));
  args.push('--feedback-port', String(options.feedbackPort));
  args.push('--gpu', options.gpu);
  if (options.modelPath !== '') args.push('--model', options.modelPath);
  if (options.fimTemplate !== 'auto') args.push('--fim-template', options.fimTemplate);
  if (options.threads > 0) args.push('--threads', String(options.threads));
  if (options.configPath !== null) args.push('--config', options.configPath);
  return args;
}
