/** `hone replay FOLDER`: the simulated developer types real code against the services and lets them learn. */
import { closeSync, mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { PLACES_MAX } from '../../extension/common/contracts/index.ts';
import { ARM_NAMES, parseArms, parseSeeds, type Arm } from '../replay/arms.ts';
import type { CompanionAddress } from '../replay/companion.ts';
import { runArm, type ArmResult, type BaseServed, type ExperimentOptions } from '../replay/experiment.ts';
import { readSourceFiles, splitFiles } from '../replay/files.ts';
import { ReplayProgress } from '../replay/progress.ts';
import {
  armSentence,
  armsTable,
  beforeAfterTable,
  latencyRow,
  reportJson,
  streamTable,
  updatesTable,
} from '../replay/report.ts';
import { table } from '../replay/table.ts';
import { contextFrom, noContext, workspaceOf } from '../replay/workspace.ts';
import { HoneError } from '../server/shared/errors.ts';
import { createLogger } from '../server/shared/logging.ts';
import { addConfigOption, commandConfig } from './commandConfig.ts';
import { addCommonOptions, parsePositive, type CommonOptions } from './options.ts';

interface ReplayOptions extends CommonOptions {
  events: number;
  batchEvents: number;
  holdout?: string;
  arms: string;
  seeds: string;
  positions: number;
  served: number;
  report?: string;
  context: boolean;
  displayFilter: boolean;
  learnFirst: number;
  url?: string;
  feedbackUrl?: string;
  token: string;
  feedbackToken?: string;
}

const DEFAULT_EVENTS = 160;
const DEFAULT_BATCH_EVENTS = 16;
const DEFAULT_POSITIONS = 12;
const DEFAULT_SERVED = 6;

/** Adds `replay`. */
export function addReplayCommand(program: Command): void {
  const command = program
    .command('replay')
    .description('type a folder of code again with the simulated developer, learn from it, measure')
    .argument('<folder>', 'folder of source files');
  addCommonOptions(command)
    .option('--events <n>', 'pauses at which a suggestion is asked for', parsePositive, DEFAULT_EVENTS)
    .option('--batch-events <n>', 'events of an update', parsePositive, DEFAULT_BATCH_EVENTS)
    .option('--holdout <glob>', 'files that are never typed (default: every second one by hash, at most 16)')
    .option('--arms <list>', ARM_NAMES, 'both')
    .option('--seeds <list>', 'seeds, separated by commas', '1')
    .option(
      '--positions <n>',
      'places of each held-out file that are scored',
      parsePositive,
      DEFAULT_POSITIONS,
    )
    .option('--served <n>', 'and how many of them are asked for too', parsePositive, DEFAULT_SERVED)
    .option('--report <file>', 'write everything measured to a file (JSON)')
    .option(
      '--learn-first <n>',
      `places of the files of the stream that are taught before it, ${PLACES_MAX} at most`,
      parsePositive,
      0,
    )
    .option('--display-filter', 'hide what will hardly be taken, in the stream', false)
    .option('--context', 'show the model pieces of the other files too', false)
    .option('--url <url>', 'inference service that is running already; needs --feedback-url')
    .option('--feedback-url <url>', 'feedback service that is running already')
    .option('--token <token>', 'bearer token of the running services', 'none')
    .option('--feedback-token <token>', 'bearer token of the feedback service, when it differs')
    .action((folder: string, options: ReplayOptions) => replay(folder, options, command));
  addConfigOption(command);
}

async function replay(folder: string, options: ReplayOptions, command: Command): Promise<void> {
  const arms = await coded('--arms', async () => parseArms(options.arms));
  const seeds = await coded('--seeds', async () => parseSeeds(options.seeds));
  const address = runningServices(options, arms, seeds);
  await coded('--report', async () => checkWritable(options.report));
  const files = await coded('<folder>', () => readSourceFiles(resolve(folder)));
  const split = await coded('<folder>', async () => splitFiles(files, options.holdout));
  const { config, modelPath } = commandConfig(command);
  // The developer's own data folder is no place for a simulated one, unless it is asked for.
  const dataDir =
    command.getOptionValueSource('dataDir') === 'default'
      ? mkdtempSync(join(tmpdir(), 'hone-replay-'))
      : resolve(options.dataDir);
  const experiment: ExperimentOptions = {
    split,
    events: options.events,
    batchEvents: options.batchEvents,
    positionsPerFile: options.positions,
    servedPerFile: options.served,
    modelPath: resolve(modelPath),
    gpu: config.model.gpu,
    threads: config.model.threads,
    dataDir,
    config,
    context: options.context ? contextFrom(workspaceOf(files)) : noContext,
    displayFilter: options.displayFilter,
    taughtPlaces: options.learnFirst,
    address,
    logger: createLogger(config.logLevel === 'info' ? 'warn' : config.logLevel),
  };
  const progress = new ReplayProgress();
  const results: ArmResult[] = [];
  const base: BaseServed = { results: undefined, scores: undefined };
  let json = '';
  try {
    for (const seed of seeds) {
      for (const arm of arms) {
        progress.title = `[${arm}, seed ${seed}]`;
        const result = await runArm(arm, seed, experiment, progress, base);
        results.push(result);
        progress.say(armSentence(result));
        json = reportJson(folder, split, results);
        // After each arm: what took minutes to measure is not lost with a later arm.
        if (options.report !== undefined) writeFileSync(options.report, json);
      }
    }
  } finally {
    progress.stop();
  }
  process.stdout.write(options.json ? json : `${describe(results, dataDir)}\n`);
}

/** A report that can't be written is told before the minutes that it takes to measure. */
function checkWritable(report: string | undefined): void {
  if (report !== undefined) closeSync(openSync(report, 'a'));
}

/** The tables that a person reads. */
function describe(results: ArmResult[], dataDir: string): string {
  const sections = [['The stream, as the simulated developer met it', streamTable(results)]];
  for (const result of results) {
    if (result.runs.length > 0)
      sections.push([`Updates of arm ${result.arm}, seed ${result.seed}`, updatesTable(result.runs)]);
    const files = `${result.heldOut.files} files never typed, ${result.heldOut.positions} places`;
    sections.push([`Arm ${result.arm}, seed ${result.seed}: ${files}`, beforeAfterTable(result)]);
  }
  if (results.length > 1) sections.push(['Change on files never typed, by arm and seed', armsTable(results)]);
  const latencies = results.flatMap((result) => result.latencies);
  sections.push([
    'Latency of a completion',
    table([['', 'p50', 'p95', 'requests'], latencyRow('while typing', latencies)]),
  ]);
  sections.push(['Adapters, events and metrics', dataDir]);
  return sections.map(([title, body]) => `${title}\n\n${body}\n`).join('\n');
}

function runningServices(options: ReplayOptions, arms: Arm[], seeds: number[]): CompanionAddress | undefined {
  const { url, feedbackUrl, token } = options;
  if (url === undefined && feedbackUrl === undefined) return undefined;
  if (url === undefined || feedbackUrl === undefined)
    throw new HoneError(
      'invalid_request',
      'Running services are named by --url and --feedback-url together.',
      {
        param: '--url',
      },
    );
  if (arms.length * seeds.length > 1)
    throw new HoneError(
      'invalid_request',
      'Running services have one state: give one arm and one seed, or leave --url out and let each run start its own.',
      { param: '--arms' },
    );
  return { inference: url, feedback: feedbackUrl, token, feedbackToken: options.feedbackToken ?? token };
}

/** What is wrong with what was asked for, as an error that names it. */
async function coded<T>(option: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new HoneError('invalid_request', `${option}: ${(error as Error).message}`, { param: option });
  }
}
