const MINUTE_MS = 60_000;

/** Minutes that a snooze may take; null: until the window is closed or reloaded. */
export const SNOOZE_CHOICES: readonly (number | null)[] = [5, 15, 30, 60, null];

/** How long Hone is silent still: minutes, or until the window goes. */
export type SnoozeRest = number | 'restart';

/**
 * What is left of a snooze, in whole minutes, the one that has begun counted; null: it is over.
 *
 * @param until milliseconds since the epoch; null: until the window goes
 */
export function snoozeRest(until: number | null, now: number): SnoozeRest | null {
  if (until === null) return 'restart';
  return until > now ? Math.ceil((until - now) / MINUTE_MS) : null;
}

/** `12 min left` */
export function describeSnooze(rest: SnoozeRest): string {
  return rest === 'restart' ? 'until restart' : `${rest} min left`;
}
