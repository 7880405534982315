/** `hone judge --config FILE`: offline GRPO with a judge, and validation on data that is never trained on. */
import type { Command } from 'commander';
import { resolve } from 'node:path';
import { JudgeProgress } from '../judge/progress.ts';
import { describeJudged } from '../judge/report.ts';
import { HoneError } from '../server/shared/errors.ts';
import { createLogger } from '../server/shared/logging.ts';
import { addConfigOption, commandConfig } from './commandConfig.ts';
import { addCommonOptions, type CommonOptions } from './options.ts';

/** Adds `judge`. */
export function addJudgeCommand(program: Command): void {
  const command = program
    .command('judge')
    .description('learn from completions of a data set that a judge scores, and validate on other data');
  addConfigOption(addCommonOptions(command))
    .option('--output <dir>', 'folder of the log, the curves and the checkpoints (judge.outputDir)')
    .action((options: CommonOptions) => judge(options, command));
}

async function judge(options: CommonOptions, command: Command): Promise<void> {
  // Loaded here and not above: other commands need neither llama.cpp nor a learner.
  const { judgeSession } = await import('../judge/session.ts');
  const { config: all, modelPath } = commandConfig(command);
  const config = all.judge;
  const outputDir = needed(
    config.outputDir,
    'outputDir',
    'a folder for the log, the curves and the checkpoints',
  );
  for (const key of ['trainPaths', 'validationPaths'] as const)
    needed(config.data[key][0], `data.${key}`, 'at least one file of JSON lines with prompt and solutions');
  const progress = new JudgeProgress();
  try {
    const result = await judgeSession({
      config,
      outputDir,
      inference: all.inference,
      modelPath: resolve(modelPath),
      gpu: all.model.gpu,
      threads: all.model.threads,
      environment: process.env,
      listener: progress,
      // Beside the bar and its sentences, what usually goes well needs no lines.
      logger: createLogger(all.logLevel === 'info' ? 'warn' : all.logLevel),
    });
    progress.stop();
    process.stdout.write(`${options.json ? JSON.stringify(result) : describeJudged(result)}\n`);
  } finally {
    progress.stop();
  }
}

/** @throws HoneError `config_invalid` */
function needed(value: string | undefined, key: string, what: string): string {
  if (value !== undefined) return value;
  throw new HoneError('config_invalid', `The configuration has no judge.${key}: hone judge needs ${what}.`, {
    param: `judge.${key}`,
  });
}
