/** What of the configuration holds the model and the learner back. */
import { gigabytes } from '../extension/common/models/memory.ts';
import type { Config } from './config/schema.ts';
import type { BudgetOptions } from './coordinator/budget.ts';
import type { Engine } from './inference/types.ts';
import { readPowerSource, THIS_SYSTEM } from './power/powerSource.ts';

const MEGABYTE = 1e6;

/** Bytes that the model may take, as `loadEngine` wants them. */
export function memoryLimitOf({ model }: Config): { memoryLimit?: number } {
  return model.memoryLimitMb === undefined ? {} : { memoryLimit: model.memoryLimitMb * MEGABYTE };
}

/** When the learner has to wait, with a model that is loaded. */
export function budgetOf(config: Config, engine: Engine): Omit<BudgetOptions, 'logger'> {
  return {
    readPower: () => readPowerSource(THIS_SYSTEM),
    onBattery: config.training.onBattery,
    memoryShort: whyTooLittle(engine, memoryLimitOf(config).memoryLimit),
  };
}

/** Why nothing can be learned within the limit; null: it can. */
function whyTooLittle({ model, memory }: Engine, limit: number | undefined): string | null {
  const needed = memory.serving + memory.learning;
  if (limit === undefined || needed <= limit) return null;
  return `To serve the model ${model.name} and learn with it takes about ${gigabytes(needed)}, more than the ${gigabytes(limit)} that are allowed. Choose a smaller model, or raise model.memoryLimitMb (hone.companion.memoryLimitMb in the editor).`;
}
