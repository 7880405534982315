import { createHash } from 'node:crypto';
import { seededRandom, type Random } from '../../extension/common/random.ts';

/**
 * A generator of its own for every (seed, key). A choice at one place then doesn't depend on how many were made
 * before it: two arms with one seed meet the same developer at the same places, whatever they suggested.
 */
export function keyedRandom(seed: number, key: string): Random {
  const digest = createHash('sha256').update(`${seed}\n${key}`).digest();
  return seededRandom(digest.readInt32LE(0));
}
