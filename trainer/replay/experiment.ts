import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  BASE_ADAPTER,
  type AdapterRef,
  type RunSummary,
  type Score,
} from '../../extension/common/contracts/index.ts';
import type { Config } from '../config/schema.ts';
import type { Logger } from '../server/shared/logging.ts';
import type { GpuChoice } from '../inference/llama.ts';
import { makePrivateFolder } from '../store/folder.ts';
import { lockstepConfig, type Arm } from './arms.ts';
import { HttpCompanion, type CompanionAddress } from './companion.ts';
import type { FileSplit } from './files.ts';
import { DEFAULT_HABITS } from './habits.ts';
import { servedItems, streamItems, worthOf, type Worth } from './metrics.ts';
import { evaluationPositions, type Position } from './positions.ts';
import { scorePositions, scoreSums } from './scoring.ts';
import { askServed, type ServedResult } from './served.ts';
import { startServices, type RunningServices } from './services.ts';
import { pairedBootstrap, sumByKey, type PairedInterval, type PairedSums } from './statistics.ts';
import { runStream, type StreamOptions, type StreamProgress, type StreamResult } from './stream.ts';
import { teachFiles } from './teach.ts';
import type { ContextOf } from './workspace.ts';

export interface ExperimentOptions {
  split: FileSplit;
  events: number;
  batchEvents: number;
  /** Fixed positions of each held-out file that are scored, and how many of them are also asked for. */
  positionsPerFile: number;
  servedPerFile: number;
  modelPath: string;
  gpu: GpuChoice;
  /** Absent: the physical cores. */
  threads?: number | undefined;
  /** Every run gets a folder of its own below it. */
  dataDir: string;
  config: Config;
  /** What the prompts show beside the document. */
  context: ContextOf;
  /** Of the stream: what will hardly be taken is hidden. */
  displayFilter: boolean;
  /** Places of the files of the stream that are taught before anything is typed; 0: none. */
  taughtPlaces: number;
  /** Services that are running already; their own configuration counts then. */
  address?: CompanionAddress | undefined;
  logger: Logger;
}

export type Phase = 'start' | 'before' | 'teach' | 'stream' | 'after' | 'score';

export interface ExperimentListener {
  onPhase: (phase: Phase) => void;
  onProgress: (done: number, total: number) => void;
  onStream: (progress: StreamProgress) => void;
  duringUpdate?: StreamOptions['duringUpdate'] | undefined;
}

/** Everything known of one arm and seed. */
export interface ArmResult {
  arm: Arm;
  seed: number;
  model: string;
  adapterVersion: number;
  /** Where the adapters, the events and the metrics are. */
  dataDir: string;
  requests: number;
  feedbackEvents: number;
  runs: RunSummary[];
  stream: Worth;
  /** Milliseconds, of the requests of the stream; nothing is trained meanwhile. */
  latencies: number[];
  /** On files that were never streamed. */
  heldOut: {
    files: number;
    positions: number;
    /** Nats a token of what really stands there, and share of exactly predicted lines. */
    logprob: PairedInterval;
    exact: PairedInterval;
    /** By file of the positions that were asked for: kept characters per 1,000. */
    kept: PairedInterval;
    before: Worth;
    after: Worth;
  };
}

/** Served results of the base, which are the same for every arm and seed. */
export type BaseServed = { results: ServedResult[] | undefined; scores: Score[] | undefined };

/** One arm under one seed: before, stream with learning, after, scores. */
export async function runArm(
  arm: Arm,
  seed: number,
  options: ExperimentOptions,
  listener: ExperimentListener,
  base: BaseServed,
): Promise<ArmResult> {
  const { split } = options;
  const positions = fixedPositions(options);
  const asked = split.heldOut.flatMap((file) =>
    positions.filter((position) => position.path === file.path).slice(0, options.servedPerFile),
  );
  const dataDir = path.join(options.dataDir, `${arm}-${seed}`);
  listener.onPhase('start');
  const services = await startArm(arm, seed, dataDir, options);
  const companion = new HttpCompanion(services.address);
  let stream: StreamResult;
  let after: ServedResult[];
  let adapter: AdapterRef;
  try {
    listener.onPhase('before');
    base.results ??= await askServed(companion, split.heldOut, asked, options.context, listener.onProgress);
    let taught: RunSummary[] = [];
    if (options.taughtPlaces > 0 && arm !== 'base') {
      listener.onPhase('teach');
      taught = await teachFiles(companion, split.streamed, options.taughtPlaces, seed);
    }
    listener.onPhase('stream');
    stream = await runStream(companion, {
      files: split.streamed,
      events: options.events,
      habits: DEFAULT_HABITS,
      seed,
      train: arm !== 'base',
      batchEvents: options.batchEvents,
      context: options.context,
      displayFilter: options.displayFilter,
      onProgress: (progress) => listener.onStream(progress),
      ...(listener.duringUpdate === undefined ? {} : { duringUpdate: listener.duringUpdate }),
    });
    stream.runs.unshift(...taught);
    adapter = await companion.adapter();
    listener.onPhase('after');
    after =
      adapter.version === 0
        ? base.results
        : await askServed(companion, split.heldOut, asked, options.context, listener.onProgress);
  } finally {
    await services.stop();
  }
  listener.onPhase('score');
  const scores = await scoreBoth(positions, adapter, options, listener, base);
  const sums = scoreSums(positions, scores.base, scores.adapter);
  const interval = (pairs: PairedSums[]): PairedInterval => pairedBootstrap(sumByKey(pairs), seed);
  return {
    arm,
    seed,
    model: services.model,
    adapterVersion: adapter.version,
    dataDir,
    requests: stream.exchanges.length,
    feedbackEvents: stream.events.length,
    runs: stream.runs,
    stream: worthOf(streamItems(stream.exchanges, stream.events)),
    latencies: stream.latencies,
    heldOut: {
      files: split.heldOut.length,
      positions: positions.length,
      logprob: interval(sums.logprob),
      exact: interval(sums.exact),
      kept: interval(keptSums(base.results, after)),
      before: worthOf(servedItems(base.results)),
      after: worthOf(servedItems(after)),
    },
  };
}

/** The positions on held-out files, the same whatever arm or seed. */
export function fixedPositions(options: Pick<ExperimentOptions, 'split' | 'positionsPerFile'>): Position[] {
  const FIXED_SEED = 1;
  return options.split.heldOut.flatMap((file) =>
    evaluationPositions(file, options.positionsPerFile, FIXED_SEED),
  );
}

function keptSums(before: readonly ServedResult[], after: readonly ServedResult[]): PairedSums[] {
  return before.map((result, i) => ({
    key: result.path,
    before: 1000 * result.keptChars,
    after: 1000 * after[i]!.keptChars,
    weight: result.restChars,
  }));
}

async function startArm(
  arm: Arm,
  seed: number,
  dataDir: string,
  options: ExperimentOptions,
): Promise<RunningServices> {
  if (options.address !== undefined) {
    const { address } = options;
    return { address, model: path.basename(options.modelPath), pid: 0, log: () => '', stop: async () => {} };
  }
  makePrivateFolder(dataDir);
  const configPath = path.join(dataDir, 'replay-config.json');
  writeFileSync(configPath, JSON.stringify(lockstepConfig(options.config, arm, seed), null, 2));
  const { modelPath, gpu, threads } = options;
  return await startServices({ dataDir, configPath, modelPath, gpu, threads });
}

async function scoreBoth(
  positions: readonly Position[],
  adapter: AdapterRef,
  options: ExperimentOptions,
  listener: ExperimentListener,
  base: BaseServed,
): Promise<{ base: Score[]; adapter: Score[] }> {
  const wanted: AdapterRef[] = [
    ...(base.scores === undefined ? [BASE_ADAPTER] : []),
    ...(adapter.version === 0 ? [] : [adapter]),
  ];
  if (wanted.length > 0) {
    const scored = await scorePositions(
      options.split.heldOut,
      positions,
      wanted,
      {
        ...options,
        firstLayer: options.config.training.update.firstLayer,
        fimTemplate: options.config.inference.fimTemplate,
      },
      listener.onProgress,
    );
    base.scores ??= scored[0]!;
    if (adapter.version !== 0) return { base: base.scores, adapter: scored.at(-1)! };
  }
  return { base: base.scores!, adapter: base.scores! };
}
