import type { Bucket } from '../contracts/dashboard.ts';

/**
 * What suggestions were worth, all of it together: each figure alone can be gamed, by short and obvious suggestions,
 * by silence, by filters that hide the hard cases. Null: nothing to divide by.
 */
export interface Worth {
  /** Taken of the judged ones. */
  acceptance: number | null;
  /** Characters taken and still there, and suggestions shown, for every 1,000 characters written. */
  keptPer1000: number | null;
  shownPer1000: number | null;
  /** Of all requests. */
  silentShare: number | null;
  suppressedShare: number | null;
}

type Counts = Pick<
  Bucket,
  'requests' | 'shown' | 'judged' | 'taken' | 'silent' | 'suppressed' | 'keptChars' | 'writtenChars'
>;

/** The figures of one range. */
export function worthOf(counts: Counts): Worth {
  const { requests, shown, judged, taken, silent, suppressed, keptChars, writtenChars } = counts;
  return {
    acceptance: ratio(taken, judged),
    keptPer1000: ratio(1000 * keptChars, writtenChars),
    shownPer1000: ratio(1000 * shown, writtenChars),
    silentShare: ratio(silent, requests),
    suppressedShare: ratio(suppressed, requests),
  };
}

/**
 * Counts of several ranges together. Where nothing was counted as written yet, shown and kept aren't either: else
 * they would be held against the characters of other days.
 */
export function totalOf(buckets: readonly Counts[]): Counts {
  const total = (name: keyof Counts, of = buckets) => of.reduce((sum, bucket) => sum + bucket[name], 0);
  const counted = buckets.filter(({ writtenChars }) => writtenChars > 0);
  return {
    requests: total('requests'),
    judged: total('judged'),
    taken: total('taken'),
    silent: total('silent'),
    suppressed: total('suppressed'),
    shown: total('shown', counted),
    keptChars: total('keptChars', counted),
    writtenChars: total('writtenChars'),
  };
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
