/** From then on what is left of an accepted text is what the developer keeps; seconds after the acceptance. */
const SETTLED_SECONDS = 120;

/** How much of an accepted text was there when it was looked at; the fraction is null when that can't be known. */
export interface SurvivalCheckpoint {
  afterSeconds: number;
  fraction: number | null;
}

/** What is known of an accepted text's survival by now. */
export interface Survival {
  /** 0..1 as last seen; null: it was never seen. */
  fraction: number | null;
  /** It was looked at after two minutes or later, whether or not anything could be seen then. */
  settled: boolean;
}

/**
 * The latest known of the checkpoints at 30 s, 2, 5 and 10 minutes. A later one counts over an earlier one, so that
 * text that is reverted after minutes loses its reward; one that can't be known leaves what was known before.
 *
 * @returns null when nothing was told yet.
 */
export function survivalOf(checkpoints: readonly SurvivalCheckpoint[]): Survival | null {
  if (checkpoints.length === 0) return null;
  const known = checkpoints.filter(({ fraction }) => fraction !== null);
  const latest = known.toSorted((a, b) => b.afterSeconds - a.afterSeconds)[0];
  return {
    fraction: latest?.fraction ?? null,
    settled: checkpoints.some(({ afterSeconds }) => afterSeconds >= SETTLED_SECONDS),
  };
}
