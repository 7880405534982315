/** Suggestions of today that the developer judged: taken in any way, or rejected where that is known to be seen. */
export interface DayTally {
  taken: number;
  judged: number;
}

/** Fewer say nothing: one of one is 100 %. */
const JUDGED_MIN = 5;

/** `62 %`, or null while too few were judged. */
export function acceptRate({ taken, judged }: DayTally): string | null {
  return judged < JUDGED_MIN ? null : `${Math.round((100 * taken) / judged)} %`;
}

/** The last midnight of this computer's clock, milliseconds since the epoch. */
export function dayStart(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}
