/** `hone serve`: the companion in the foreground. */
import { Option, type Command } from 'commander';
import { FEEDBACK_TOKEN_VARIABLE, TOKEN_VARIABLE } from '../../extension/common/companion.ts';
import { FIM_CHOICES } from '../../extension/common/prompt/fimChoice.ts';
import { IdleWatch } from '../server/shared/idle.ts';
import { createLogger } from '../server/shared/logging.ts';
import { addCommonOptions, parsePort, parsePositive, readConfig, type CommonOptions } from './options.ts';

interface ServeOptions extends CommonOptions {
  host: string;
  inferencePort: number;
  feedbackPort: number;
  token?: string;
  feedbackToken?: string;
  train: boolean;
  batchEvents?: number;
  fimTemplate?: string;
  exitWhenIdle?: number;
  config?: string;
}

const DEFAULT_INFERENCE_PORT = 8081;
const DEFAULT_FEEDBACK_PORT = 8082;

/** Adds `serve`. */
export function addServeCommand(program: Command): void {
  const command = program.command('serve').description('serve completions, take feedback, learn');
  addCommonOptions(command)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--inference-port <port>',
      'port of completions, 0: a free one',
      parsePort,
      DEFAULT_INFERENCE_PORT,
    )
    .option('--feedback-port <port>', 'port of feedback, 0: a free one', parsePort, DEFAULT_FEEDBACK_PORT)
    .addOption(
      new Option(
        '--token <token>',
        'bearer token of both services; "none": none, on a loopback address only',
      ).env(TOKEN_VARIABLE),
    )
    .addOption(
      new Option(
        '--feedback-token <token>',
        'bearer token of the feedback service, when it is to differ',
      ).env(FEEDBACK_TOKEN_VARIABLE),
    )
    .option('--no-train', 'store feedback and train nothing')
    .option('--batch-events <n>', 'eligible events that start an update', parsePositive)
    .addOption(
      new Option(
        '--fim-template <name>',
        'fill-in-the-middle template (default: auto, the one that fits the markers in the model file)',
      ).choices(FIM_CHOICES),
    )
    .option(
      '--exit-when-idle <seconds>',
      'end when no request, GET /health included, came for this long',
      parsePositive,
    )
    .option('--config <file>', 'configuration (JSON)')
    .action(serve);
}

/** Prints one line of JSON when both services listen, and returns when a signal or idleness ends them. */
async function serve(options: ServeOptions): Promise<void> {
  // Loaded here and not above: other commands need not wait for llama.cpp.
  const { startCompanion } = await import('../companion.ts');
  const config = readConfig(options.config);
  if (options.batchEvents !== undefined) config.training.batchEvents = options.batchEvents;
  if (options.fimTemplate !== undefined) config.inference.fimTemplate = options.fimTemplate;
  if (options.seed !== undefined) config.training.seed = options.seed;
  const idle = new IdleWatch();
  const companion = await startCompanion({
    ...options,
    onService: (app) => idle.watch(app),
    modelPath: options.model,
    config,
    logger: createLogger(options.logLevel),
  });
  console.log(JSON.stringify(companion.ready));
  const ends = [untilSignal()];
  if (options.exitWhenIdle !== undefined) ends.push(idle.idleFor(options.exitWhenIdle));
  await Promise.race(ends);
  await companion.close();
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
