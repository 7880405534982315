/** Opens what a judged run needs, in an order in which mistakes are told before the model is loaded. */
import { resolve } from 'node:path';
import { learnerEntry } from '../coordinator/learnerEntry.ts';
import { LearnerProcess } from '../coordinator/learnerProcess.ts';
import { DEFAULT_TRAINING_SETTINGS } from '../coordinator/settings.ts';
import { loadEngine } from '../inference/engine.ts';
import type { GpuChoice } from '../inference/llama.ts';
import type { Engine } from '../inference/types.ts';
import { lockDataFolder } from '../lock.ts';
import { HoneError } from '../server/shared/errors.ts';
import type { Logger } from '../server/shared/logging.ts';
import { Checkpoints } from './checkpoint.ts';
import { updateConfigOf, type JudgeConfig } from './config.ts';
import { readDataset, type JudgeItem } from './dataset.ts';
import { openJudges } from './judges.ts';
import { findLeaks } from './leakage.ts';
import { fingerprintOf } from './plan.ts';
import { runJudge, type JudgeListener, type JudgeResult } from './run.ts';
import { RunFolder } from './runFolder.ts';

export interface SessionOptions {
  config: JudgeConfig;
  outputDir: string;
  /** How the model is asked. */
  inference: { contextTokens: number; fimTemplate: string };
  modelPath: string;
  gpu: GpuChoice;
  /** Absent: the physical cores. */
  threads: number | undefined;
  /** Of the process: where the judge's server is, its key and its model. */
  environment: NodeJS.ProcessEnv;
  listener: JudgeListener;
  logger: Logger;
}

export interface SessionResult extends JudgeResult {
  outputDir: string;
  model: string;
  /** Validation prompts that the training data has too, and that were allowed. */
  leaks: number;
}

/** Leaks that the error names. */
const TOLD_LEAKS = 3;

/** A whole run, or what is left of one. What was opened is closed again, also after a failure. */
export async function judgeSession(options: SessionOptions): Promise<SessionResult> {
  const { config, listener, inference } = options;
  const outputDir = resolve(options.outputDir);
  const training = readDataset(config.data.trainPaths).slice(0, config.data.maxTrainItems);
  const validation = readDataset(config.data.validationPaths).slice(0, config.data.maxValidationItems);
  const leaks = checkLeaks(training, validation, config, listener);
  const opened: (() => unknown)[] = [];
  try {
    const lock = lockOutput(outputDir);
    opened.push(() => lock.release());
    const judges = openJudges(config, outputDir, options.environment);
    opened.push(() => judges.close());
    const engine = await openEngine(options);
    opened.push(() => engine.dispose());
    const folder = new RunFolder(outputDir);
    const asked = [engine.model.hash, inference.contextTokens, inference.fimTemplate];
    folder.claim(fingerprintOf(config, [training, validation], asked));
    const learner = newLearner(engine, options);
    opened.push(() => learner.dispose());
    await learner.start();
    const checkpoints = new Checkpoints(outputDir);
    const parts = { config, training, validation, engine, learner, folder, checkpoints, listener };
    const result = await runJudge({ ...parts, judges: judges.judges });
    return { ...result, outputDir, model: engine.model.name, leaks };
  } finally {
    for (const undo of opened.reverse()) await undo();
  }
}

function checkLeaks(
  training: readonly JudgeItem[],
  validation: readonly JudgeItem[],
  { data }: JudgeConfig,
  listener: JudgeListener,
): number {
  const leaks = findLeaks(training, validation, data.leakageBound);
  if (leaks.length === 0) return 0;
  const told = leaks
    .slice(0, TOLD_LEAKS)
    .map((leak) => `${leak.validation} is like ${leak.training} (${leak.similarity.toFixed(2)})`);
  const message =
    `${leaks.length} of ${validation.length} validation prompts are in the training data too, with a likeness of ` +
    `${data.leakageBound} or more: ${told.join(', ')}${leaks.length > TOLD_LEAKS ? ', …' : ''}.`;
  if (!data.allowLeakage)
    throw new HoneError(
      'data_leaks',
      `${message} What is measured on them is memory. Take them out, or set judge.data.allowLeakage.`,
    );
  listener.say(`Warning: ${message} judge.data.allowLeakage lets the run go on.`);
  return leaks.length;
}

/** The data folder's own lock does for an output folder. */
function lockOutput(outputDir: string): ReturnType<typeof lockDataFolder> {
  try {
    return lockDataFolder(outputDir);
  } catch (error) {
    if (!(error instanceof HoneError) || error.code !== 'data_dir_in_use') throw error;
    const message = `Another run is writing to ${outputDir}. Wait for its end, or choose another output folder.`;
    throw new HoneError('output_dir_taken', message, { cause: error });
  }
}

async function openEngine({ inference, modelPath, gpu, threads, logger }: SessionOptions): Promise<Engine> {
  return await loadEngine({
    modelPath,
    gpu,
    ...(threads === undefined ? {} : { threads }),
    contextTokens: inference.contextTokens,
    fimTemplate: inference.fimTemplate,
    steady: true,
    dataDir: null,
    logger,
  });
}

function newLearner(engine: Engine, { config, modelPath, gpu, logger }: SessionOptions): LearnerProcess {
  const { firstLayer, weightType } = updateConfigOf(config, engine.model.layers);
  const { learnerSilenceMs, learnerCacheBytes } = DEFAULT_TRAINING_SETTINGS;
  return new LearnerProcess({
    entry: learnerEntry(),
    silenceMs: learnerSilenceMs,
    logger,
    init: {
      type: 'init',
      modelPath,
      gpu,
      threads: engine.threads,
      firstLayer,
      weightType,
      endTokens: engine.model.endTokens,
      cacheBytes: learnerCacheBytes,
    },
  });
}
