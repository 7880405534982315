/** `hone serve`: the companion in the foreground. */
import type { Command } from 'commander';
import { startCompanion } from '../companion.ts';
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
  config?: string;
}

const DEFAULT_INFERENCE_PORT = 8081;
const DEFAULT_FEEDBACK_PORT = 8082;

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
    .option('--token <token>', 'bearer token of both services; "none": none, on a loopback address only')
    .option('--feedback-token <token>', 'bearer token of the feedback service, when it is to differ')
    .option('--no-train', 'store feedback and train nothing')
    .option('--batch-events <n>', 'eligible events that start an update', parsePositive)
    .option('--config <file>', 'configuration (JSON)')
    .action(serve);
}

/** Prints one line of JSON when both services listen, and returns when a signal ends them. */
async function serve(options: ServeOptions): Promise<void> {
  const config = readConfig(options.config);
  if (options.batchEvents !== undefined) config.training.batchEvents = options.batchEvents;
  if (options.seed !== undefined) config.training.seed = options.seed;
  const companion = await startCompanion({
    ...options,
    modelPath: options.model,
    config,
    logger: createLogger(options.logLevel),
  });
  console.log(JSON.stringify(companion.ready));
  await untilSignal();
  await companion.close();
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
