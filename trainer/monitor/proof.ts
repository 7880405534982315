/** Whether a difference is more than chance: shares and means of two sets of outcomes. */

/** Successes among trials. */
export interface Share {
  hits: number;
  of: number;
}

/** Sums of a quantity, from which mean and variance follow. */
export interface Moments {
  of: number;
  sum: number;
  squares: number;
}

/** A bound and what it bounds. */
export interface Difference {
  /** later − earlier. */
  difference: number;
  standardError: number;
}

/** Points of the grid on which a Beta density is summed: errors below 1e-3 up to a thousand trials. */
const GRID = 4000;

/** Hits over trials; 0 for no trials. */
export function shareOf({ hits, of }: Share): number {
  return of === 0 ? 0 : hits / of;
}

export function meanOf({ sum, of }: Moments): number {
  return of === 0 ? 0 : sum / of;
}

export function momentsOf(values: number[]): Moments {
  return {
    of: values.length,
    sum: values.reduce((sum, value) => sum + value, 0),
    squares: values.reduce((sum, value) => sum + value * value, 0),
  };
}

/**
 * Difference of two shares, with one success and one failure added to each (Agresti and Caffo 2000), so that a share
 * of 0 or 1 of a few trials is not taken for certain.
 */
export function shareDifference(earlier: Share, later: Share): Difference {
  const [before, after] = [earlier, later].map(({ hits, of }) => ({ p: (hits + 1) / (of + 2), n: of + 2 }));
  const variance = ({ p, n }: { p: number; n: number }): number => (p * (1 - p)) / n;
  return {
    difference: after!.p - before!.p,
    standardError: Math.sqrt(variance(before!) + variance(after!)),
  };
}

/** Difference of two means with Welch's standard error. */
export function meanDifference(earlier: Moments, later: Moments): Difference {
  return {
    difference: meanOf(later) - meanOf(earlier),
    standardError: Math.sqrt(varianceOfMean(earlier) + varianceOfMean(later)),
  };
}

/**
 * Probability that the later chance of success is lower than the earlier one by more than `margin`, each with a
 * uniform prior: P(p_later + margin < p_earlier), p ~ Beta(hits + 1, misses + 1).
 */
export function probabilityWorse(earlier: Share, later: Share, margin: number): number {
  const before = betaGrid(earlier);
  const after = betaGrid(later);
  const shift = Math.round(margin * GRID);
  let below = 0;
  let probability = 0;
  // below: mass of the later share under the earlier one, here in cell i, less the margin. Half of the same cell is.
  for (let i = shift; i < GRID; i++) {
    const same = after[i - shift]!;
    probability += before[i]! * (below + same / 2);
    below += same;
  }
  return probability;
}

/** Mass of a Beta posterior in GRID equal cells. */
function betaGrid({ hits, of }: Share): Float64Array {
  const misses = of - hits;
  const logs = Float64Array.from({ length: GRID }, (_, i) => {
    const p = (i + 0.5) / GRID;
    return hits * Math.log(p) + misses * Math.log1p(-p);
  });
  const highest = logs.reduce((most, value) => Math.max(most, value), -Infinity);
  const masses = logs.map((value) => Math.exp(value - highest));
  const total = masses.reduce((sum, value) => sum + value, 0);
  return masses.map((value) => value / total);
}

function varianceOfMean({ of, sum, squares }: Moments): number {
  if (of < 2) return of === 0 ? 0 : Number.MAX_VALUE / 4;
  return Math.max(0, squares - (sum * sum) / of) / (of - 1) / of;
}
