import { v7 as uuidv7 } from 'uuid';
import type { Random } from '../../extension/common/random.ts';

/** Where a virtual day begins, in milliseconds since the epoch; any fixed moment will do. */
const VIRTUAL_START_MS = Date.UTC(2026, 0, 5, 9, 0, 0);

/** Time that passes only when somebody types or thinks. */
export class VirtualClock {
  now = VIRTUAL_START_MS;

  advance(milliseconds: number): void {
    this.now += Math.round(milliseconds);
  }
}

/** UUIDv7s that follow from a seed and the virtual clock. */
export function seededIds(clock: VirtualClock, random: Random): () => string {
  let sequence = 0;
  return () =>
    uuidv7({
      msecs: clock.now,
      seq: sequence++,
      random: Uint8Array.from({ length: 16 }, () => random.below(256)),
    });
}
