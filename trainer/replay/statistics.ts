import { keyedRandom } from './random.ts';

const DEFAULT_RESAMPLES = 4000;

/** A measured pair of one file: sums over its positions. */
export interface PairedSums {
  /** The file. */
  key: string;
  before: number;
  after: number;
  /** What the sums are divided by: tokens, positions or characters. */
  weight: number;
}

export interface PairedInterval {
  before: number;
  after: number;
  /** after − before. */
  difference: number;
  /** 95 % interval of the difference. */
  low: number;
  high: number;
  files: number;
}

/**
 * Paired bootstrap over files: files are drawn with replacement, the ratio of sums Σ(after − before) / Σweight is
 * taken of each draw, and the 2.5 and 97.5 % quantiles of the draws are the interval (Efron's percentile method).
 * Files, not positions, are drawn, because the positions of one file are alike.
 *
 * @throws RangeError when there is no file or no weight.
 */
export function pairedBootstrap(
  sums: PairedSums[],
  seed: number,
  resamples = DEFAULT_RESAMPLES,
): PairedInterval {
  const weight = total(sums, (one) => one.weight);
  if (weight <= 0)
    throw new RangeError('Nothing was measured: an interval needs at least one file with weight.');
  const random = keyedRandom(seed, 'bootstrap');
  const draws: number[] = [];
  while (draws.length < resamples) {
    const drawn = sums.map(() => sums[random.below(sums.length)]!);
    const drawnWeight = total(drawn, (one) => one.weight);
    if (drawnWeight > 0) draws.push(total(drawn, (one) => one.after - one.before) / drawnWeight);
  }
  const before = total(sums, (one) => one.before) / weight;
  const after = total(sums, (one) => one.after) / weight;
  return {
    before,
    after,
    difference: after - before,
    low: quantile(draws, 0.025),
    high: quantile(draws, 0.975),
    files: sums.length,
  };
}

/**
 * Quantile by linear interpolation between order statistics (Hyndman and Fan's type 7).
 *
 * @returns NaN for no values.
 */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)]!;
  const high = sorted[Math.ceil(at)]!;
  return low + (high - low) * (at - Math.floor(at));
}

/** Sums by key, in the order in which the keys first appear. */
export function sumByKey(items: PairedSums[]): PairedSums[] {
  const sums = new Map<string, PairedSums>();
  for (const item of items) {
    const sum = sums.get(item.key) ?? { key: item.key, before: 0, after: 0, weight: 0 };
    sum.before += item.before;
    sum.after += item.after;
    sum.weight += item.weight;
    sums.set(item.key, sum);
  }
  return [...sums.values()];
}

function total(items: PairedSums[], value: (item: PairedSums) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
