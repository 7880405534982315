/** Suggestions of today that the developer judged by taking or rejecting them. */
export interface DayTally {
  taken: number;
  judged: number;
}

/** Fewer say nothing: one of one is 100 %. */
const JUDGED_MIN = 5;
const TAKEN = ['accepted', 'partiallyAccepted', 'typedThrough'];

/**
 * Taken: accepted whole or in part, or typed out. What was ignored, hidden or empty was not judged.
 *
 * @param outcomes outcome kind to count
 */
export function dayTally(outcomes: Readonly<Record<string, number>>): DayTally {
  const taken = TAKEN.reduce((sum, kind) => sum + (outcomes[kind] ?? 0), 0);
  return { taken, judged: taken + (outcomes.rejected ?? 0) };
}

/** `62 %`, or null while too few were judged. */
export function acceptRate({ taken, judged }: DayTally): string | null {
  return judged < JUDGED_MIN ? null : `${Math.round((100 * taken) / judged)} %`;
}

/** The last midnight of this computer's clock, milliseconds since the epoch. */
export function dayStart(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}
