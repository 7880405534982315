import type { DashboardUnit } from '../contracts/dashboard.ts';

/** From `from` on and before `to`, milliseconds since the epoch. */
export interface Range {
  from: number;
  to: number;
}

/** Suggestions that one point stands for when it is not a day. */
export const SHOWN_A_POINT = 50;
/** Points of a chart when they are not days. */
export const MAX_SHOWN_POINTS = 60;

const DAYS: Record<Exclude<DashboardUnit, '50shown'>, number> = { '30days': 30, '90days': 90 };

/**
 * Calendar days of this computer's time zone, the oldest first, the last one today. A day on which the clocks are
 * changed is an hour shorter or longer than the others.
 */
export function dayRanges(now: number, unit: keyof typeof DAYS): Range[] {
  const today = new Date(now);
  const midnight = (daysAgo: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - daysAgo).getTime();
  return Array.from({ length: DAYS[unit] }, (_, index) => {
    const daysAgo = DAYS[unit] - 1 - index;
    return { from: midnight(daysAgo), to: midnight(daysAgo - 1) };
  });
}

/**
 * Ranges in each of which `size` suggestions were shown, oldest first; the newest may hold fewer.
 *
 * @param times of every shown suggestion, newest first
 * @param now end of the newest range
 */
export function shownRanges(times: readonly number[], size: number, now: number): Range[] {
  const oldestFirst = times.toReversed();
  const starts = oldestFirst.filter((_, index) => index % size === 0);
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? Math.max(now, times[0]!) + 1 }));
}
