import { availableParallelism, totalmem } from 'node:os';
import type { Health } from '../../common/contracts/completion.ts';
import type { Machine } from '../../common/models/recommend.ts';

/** This computer, which is the companion's; what it computes on is known once it has answered. */
export function thisMachine(health: Health | null): Machine {
  return {
    memoryBytes: totalmem(),
    gpuMemoryBytes: health?.gpuMemoryBytes ?? null,
    cores: availableParallelism(),
  };
}
