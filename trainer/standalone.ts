/** Learning without the services: what a command needs that makes an update by itself. */
import type { Config } from './config/schema.ts';
import { Coordinator } from './coordinator/coordinator.ts';
import { learnerEntry } from './coordinator/learnerEntry.ts';
import { loadEngine } from './inference/engine.ts';
import type { GpuChoice } from './inference/llama.ts';
import { budgetOf, memoryLimitOf } from './limits.ts';
import { lockDataFolder } from './lock.ts';
import type { Logger } from './server/shared/logging.ts';
import { openStore } from './store/store.ts';

interface StandaloneOptions {
  dataDir: string;
  modelPath: string;
  gpu: GpuChoice;
  threads?: number;
  config: Config;
  logger: Logger;
}

/**
 * Takes the data folder, loads the model, and brings the active adapter into service; updates only when asked for.
 * What was opened before a failure is closed again.
 */
export async function openLearning(
  options: StandaloneOptions,
): Promise<{ coordinator: Coordinator; close: () => Promise<void> }> {
  const { dataDir, gpu, config, logger } = options;
  const opened: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const undo of opened.splice(0).reverse()) await undo();
  };
  try {
    const lock = lockDataFolder(dataDir);
    opened.push(() => lock.release());
    const store = openStore(dataDir);
    opened.push(() => store.close());
    const engine = await loadEngine({
      modelPath: options.modelPath,
      gpu,
      ...(options.threads === undefined ? {} : { threads: options.threads }),
      contextTokens: config.inference.contextTokens,
      fimTemplate: config.inference.fimTemplate,
      dataDir,
      logger,
      ...memoryLimitOf(config),
    });
    opened.push(() => engine.dispose());
    const coordinator = new Coordinator({
      store,
      engine,
      settings: config.training,
      retention: config.retention,
      automatic: false,
      learner: {
        entry: learnerEntry(),
        gpu: engine.device,
        threads: config.training.threads ?? engine.threads,
      },
      budget: budgetOf(config, engine),
      logger,
    });
    opened.push(() => coordinator.dispose());
    await coordinator.start();
    return { coordinator, close };
  } catch (error) {
    await close();
    throw error;
  }
}
