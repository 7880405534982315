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

/** @param seed a 32-bit whole number */
export function seededRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed);
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

/** All members in random order, each order as likely as the others (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = items.slice();
  for (let i = result.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}
