/** The configuration of a command: what its options say, else what its file says, else the defaults. */
import type { Option } from 'commander';
import { type Command } from 'commander';
import { loadConfig, type Override } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { createLogger, type Logger } from '../server/shared/logging.ts';
import { defaultDataDir, embeddedModelPath } from './options.ts';

/** Which keys of the configuration an option is. */
const KEY_OF_OPTION: Record<string, readonly string[]> = {
  dataDir: ['dataDir'],
  logLevel: ['logLevel'],
  model: ['model.path'],
  gpu: ['model.gpu'],
  threads: ['model.threads'],
  host: ['server.host'],
  inferencePort: ['server.inferencePort'],
  feedbackPort: ['server.feedbackPort'],
  exitWhenIdle: ['server.exitWhenIdle'],
  fimTemplate: ['inference.fimTemplate'],
  train: ['training.enabled'],
  batchEvents: ['training.batchEvents'],
  seed: ['training.seed', 'judge.seed'],
  output: ['judge.outputDir'],
};

export interface CommandConfig {
  config: Config;
  dataDir: string;
  modelPath: string;
  logger: Logger;
}

/** Adds `--config` to a command. */
export function addConfigOption(command: Command): Command {
  return command.option(
    '--config <file>',
    'configuration (YAML or JSON, docs/configuration.md); options given here win over it',
  );
}

/**
 * Reads the configuration of a command that has `--config`. What of the file is not used is said in the log.
 *
 * @throws HoneError (`config_invalid`)
 */
export function commandConfig(command: Command): CommandConfig {
  const { config: path } = command.opts<{ config?: string }>();
  const { config, warnings } = loadConfig(
    path,
    overridesOf(command),
    command.name() === 'judge' ? 'judge' : 'companion',
  );
  const logger = createLogger(config.logLevel);
  for (const warning of warnings) logger.warn(warning);
  return {
    config,
    dataDir: config.dataDir ?? defaultDataDir(),
    modelPath: config.model.path ?? embeddedModelPath(),
    logger,
  };
}

/** Options that were really given, on the command line or in the environment. */
export function overridesOf(command: Command): Override[] {
  const values = command.opts<Record<string, unknown>>();
  return command.options.flatMap((option: Option) => {
    const name = option.attributeName();
    const source = command.getOptionValueSource(name);
    if (source !== 'cli' && source !== 'env') return [];
    return (KEY_OF_OPTION[name] ?? []).map((key) => ({ key, value: values[name], option: option.long! }));
  });
}
