import { createHash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Random choices that follow from a seed. */
export interface Random {
  /** Uniform in [0, 1). */
  share(): number;
  /** Uniform integer in [0, below). */
  below(below: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
}

/**
 * A generator of its own for every (seed, key). A choice at one place then doesn't depend on how many were made
 * before it: two arms with one seed meet the same developer at the same places, whatever they suggested.
 */
export function keyedRandom(seed: number, key: string): Random {
  const digest = createHash('sha256').update(`${seed}\n${key}`).digest();
  const generator = xoroshiro128plus(digest.readInt32LE(0));
  const share = (): number => uniformFloat64(generator);
  return {
    share,
    below: (below) => uniformInt(generator, 0, below - 1),
    chance: (probability) => share() < probability,
  };
}

/** `count` distinct members in their original order, each subset as likely as the others (Vitter's selection). */
export function sampleInOrder<T>(items: readonly T[], count: number, random: Random): T[] {
  const chosen: T[] = [];
  let missing = Math.min(count, items.length);
  items.forEach((item, i) => {
    if (random.share() * (items.length - i) >= missing) return;
    chosen.push(item);
    missing--;
  });
  return chosen;
}
