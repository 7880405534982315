/** `hone serve`: the companion in the foreground. */
import { Option, type Command } from 'commander';
import { FEEDBACK_TOKEN_VARIABLE, TOKEN_VARIABLE } from '../../extension/common/companion.ts';
import { FIM_CHOICES } from '../../extension/common/prompt/fimChoice.ts';
import { configSchema } from '../config/schema.ts';
import { IdleWatch } from '../server/shared/idle.ts';
import { addConfigOption, commandConfig } from './commandConfig.ts';
import { addCommonOptions, parsePort, parsePositive } from './options.ts';
import type { TokenOptions } from './running.ts';

const { host, inferencePort, feedbackPort } = configSchema.parse({}).server;

interface ServeOptions extends TokenOptions {
  fellBack?: string;
}

/** Adds `serve`. */
export function addServeCommand(program: Command): void {
  const command = program.command('serve').description('serve completions, take feedback, learn');
  addCommonOptions(command)
    .option(
      '--host <address>',
      'address to listen on; other machines reach what is no loopback address, unencrypted',
      host,
    )
    .option('--inference-port <port>', 'port of completions, 0: a free one', parsePort, inferencePort)
    .option('--feedback-port <port>', 'port of feedback, 0: a free one', parsePort, feedbackPort)
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
    .addOption(
      new Option('--fell-back <code>', 'say that this model stands in for one that failed so').hideHelp(),
    )
    .action((options: ServeOptions) => serve(options, command));
  addConfigOption(command);
}

/** Prints one line of JSON when both services listen, and returns when a signal or idleness ends them. */
async function serve(options: ServeOptions, command: Command): Promise<void> {
  // Loaded here and not above: other commands need not wait for llama.cpp.
  const { startCompanion } = await import('../companion.ts');
  const { config, dataDir, modelPath, logger } = commandConfig(command);
  const { exitWhenIdle, ...addresses } = config.server;
  const idle = new IdleWatch();
  const companion = await startCompanion({
    ...addresses,
    ...config.model,
    token: options.token,
    feedbackToken: options.feedbackToken,
    ...(options.fellBack === undefined ? {} : { fellBack: options.fellBack }),
    dataDir,
    modelPath,
    train: config.training.enabled,
    onService: (app) => idle.watch(app),
    config,
    logger,
  });
  console.log(JSON.stringify(companion.ready));
  const ends = [untilSignal()];
  if (exitWhenIdle !== undefined) ends.push(idle.idleFor(exitWhenIdle));
  await Promise.race(ends);
  await companion.close();
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
