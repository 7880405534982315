/** `hone train`: one update from what is stored, now. */
import type { Command } from 'commander';
import {
  stepResponseSchema,
  trainingStatusSchema,
  type CompanionLock,
  type RunSummary,
  type StepResponse,
  type TrainingStatus,
} from '../../extension/common/contracts/index.ts';
import { boardFolder } from '../board/board.ts';
import { runningCompanion } from '../lock.ts';
import { ProgressBar } from '../progressBar.ts';
import { addConfigOption, commandConfig, type CommandConfig } from './commandConfig.ts';
import { addCommonOptions, type CommonOptions } from './options.ts';
import { addTokenOptions, askRunning, type TokenOptions } from './running.ts';

interface TrainOptions extends CommonOptions, TokenOptions {
  config?: string;
}

/** Something that can make one update: the running companion, or this process. */
interface Trainer {
  step(): Promise<StepResponse>;
  status(): Promise<TrainingStatus>;
  close(): Promise<void>;
}

const POLL_MS = 500;

/** Adds `train`. */
export function addTrainCommand(program: Command): void {
  const command = program
    .command('train')
    .description('make one update from what is stored, now: by the running companion when there is one');
  addConfigOption(addTokenOptions(addCommonOptions(command))).action((options: TrainOptions) =>
    train(options, command),
  );
}

async function train(options: TrainOptions, command: Command): Promise<void> {
  const settings = commandConfig(command);
  const running = runningCompanion(settings.dataDir);
  if (running !== null && options.config !== undefined)
    settings.logger.warn(
      `The companion ${running.pid} makes this update, with the configuration that it was started with: of ${options.config} only the data folder counts here.`,
    );
  const trainer = running === null ? await openTrainer(settings) : remoteTrainer(running, options);
  try {
    const response = await withProgress(trainer);
    console.log(options.json ? JSON.stringify(response) : describe(response));
    if (!options.json && response.run !== null)
      console.log(`Curves: tensorboard --logdir ${boardFolder(settings.dataDir)}`);
    if (response.run?.decision === 'failed') process.exitCode = 1;
  } finally {
    await trainer.close();
  }
}

/** Loads the model and the store in this process, which holds the data folder meanwhile. */
async function openTrainer(settings: CommandConfig): Promise<Trainer> {
  // Loaded here and not above: asking a running companion needs no llama.cpp.
  const { openLearning } = await import('../standalone.ts');
  const { coordinator, close } = await openLearning({ ...settings, ...settings.config.model });
  return { step: () => coordinator.step(), status: async () => coordinator.status(), close };
}

function remoteTrainer(running: CompanionLock, options: TokenOptions): Trainer {
  return {
    step: () => askRunning(running, options, 'POST', '/api/training/step', stepResponseSchema),
    status: () => askRunning(running, options, 'GET', '/api/training/status', trainingStatusSchema),
    close: async () => {},
  };
}

async function withProgress(trainer: Trainer): Promise<StepResponse> {
  if (!process.stderr.isTTY) return trainer.step();
  const bar = new ProgressBar(process.stderr, '{phase} [{bar}] {value}/{total} {duration_formatted}');
  bar.show(0, 1, { phase: 'preparing' });
  let ended = false;
  const timer = setInterval(() => {
    void trainer.status().then(
      ({ progress }) => {
        // An answer that comes late must not begin a bar anew.
        if (progress === undefined || ended) return;
        bar.show(progress.done, Math.max(1, progress.total), { phase: progress.phase });
      },
      () => clearInterval(timer),
    );
  }, POLL_MS);
  try {
    return await trainer.step();
  } finally {
    ended = true;
    clearInterval(timer);
    bar.stop();
  }
}

function describe({ status, run }: StepResponse): string {
  if (status === 'busy') return 'The companion is ending; nothing was trained.';
  if (run === null) return 'There is nothing to train on.';
  return describeRun(run);
}

/** One run in a few lines: the decision, why, and where the time went. */
function describeRun(run: RunSummary): string {
  const version = run.version === null ? '' : `, version ${run.version}`;
  const seconds = Object.entries(run.seconds)
    .map(([phase, value]) => `${phase} ${value.toFixed(1)}`)
    .join(', ');
  return [`${run.events} events: ${run.decision}${version}. ${run.reason}`, `Seconds: ${seconds}.`].join(
    '\n',
  );
}
