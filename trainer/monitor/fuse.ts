import type { ServedOutcome } from '../store/types.ts';
import { gamingAlarms, keepsLess, type Alarm } from './alarms.ts';
import { probabilityWorse, shareOf } from './proof.ts';
import { servedFigures, tallyOf, type Tally } from './tally.ts';

/** A version on the way from the one in service back to the base. */
export interface ChainLink {
  version: number;
  /** It was proven on held-out events, or it is the base. */
  proven: boolean;
}

export interface FuseVerdict {
  /** The version to serve instead. */
  target: number;
  reason: string;
  /** By tag, for the record of the version that is taken out of service. */
  figures: Record<string, number>;
}

/** Newest outcomes that are looked at for the versions in doubt, and for the ones before them. */
export const MAX_RECENT = 100;
const MAX_EARLIER = 300;
/** Outcomes, ignored ones not counted, that the versions in doubt and the ones before must have. */
const MIN_RECENT = 40;
const MIN_EARLIER = 60;
/** Judged suggestions that an acceptance rate is compared from. */
const MIN_JUDGED = 30;
/** A version is worse when its chance of acceptance is lower by more than this … */
const MARGIN = 0.05;
/** … with this probability. Looked at every ten requests, 300 of them, 2 of 100 histories of equal versions trip it. */
const CERTAINTY = 0.99;

/** Outcomes of the versions in doubt, and of what was served before them. */
interface Windows {
  /** The newest version that is not in doubt, as an index of the chain. */
  split: number;
  recent: ServedOutcome[];
  earlier: ServedOutcome[];
}

/**
 * Splits outcomes at each version where both sides say something: the newest few versions against all before them.
 * Versions change with every batch, so one alone is seldom seen often enough.
 *
 * @param rows newest first
 * @param chain the version in service first, the base last; outcomes of other versions don't count
 */
export function windowsOf(rows: readonly ServedOutcome[], chain: readonly ChainLink[]): Windows[] {
  const place = new Map(chain.map(({ version }, index) => [version, index]));
  const counted = rows.filter((row) => row.outcome.kind !== 'ignored' && place.has(row.version));
  const windows: Windows[] = [];
  for (let split = 1; split < chain.length; split++) {
    const isRecent = (row: ServedOutcome): boolean => place.get(row.version)! < split;
    const recent = counted.filter(isRecent);
    const earlier = counted.filter((row) => !isRecent(row)).slice(0, MAX_EARLIER);
    if (recent.length >= MIN_RECENT && earlier.length >= MIN_EARLIER)
      windows.push({ split, recent: recent.slice(0, MAX_RECENT), earlier });
    if (recent.length >= MAX_RECENT) break;
  }
  return windows;
}

/**
 * Whether what is served has to be taken back: it is accepted less than what was served before, or it games (an
 * alarm) and less of it stays.
 *
 * @returns null: it may stay, or too little is known.
 */
export function fuseVerdict(rows: readonly ServedOutcome[], chain: readonly ChainLink[]): FuseVerdict | null {
  for (const windows of windowsOf(rows, chain)) {
    const verdict = verdictOf(windows, chain);
    if (verdict !== null) return verdict;
  }
  return null;
}

function verdictOf({ split, recent, earlier }: Windows, chain: readonly ChainLink[]): FuseVerdict | null {
  const [before, now] = [tallyOf(earlier), tallyOf(recent)];
  const worse = chanceOfWorse(before, now);
  const alarms = keepsLess(before, now) ? gamingAlarms(before, now) : [];
  if (worse < CERTAINTY && alarms.length === 0) return null;
  const target = chain.slice(split).find((link) => link.proven)!.version;
  return {
    target,
    reason: reasonOf(before, now, worse, alarms),
    figures: {
      'fuse/target': target,
      'fuse/probability_worse': worse,
      'fuse/accepted': now.worth.hits,
      'fuse/judged': now.worth.of,
      'fuse/accepted_before': before.worth.hits,
      'fuse/judged_before': before.worth.of,
      ...Object.fromEntries(alarms.map(({ name }) => [`alarm/${name}`, 1])),
      ...servedFigures(now),
    },
  };
}

function chanceOfWorse(before: Tally, now: Tally): number {
  if (now.worth.of < MIN_JUDGED || before.worth.of < MIN_JUDGED) return 0;
  return probabilityWorse(before.worth, now.worth, MARGIN);
}

function reasonOf(before: Tally, now: Tally, worse: number, alarms: Alarm[]): string {
  if (worse >= CERTAINTY) {
    const rate = (tally: Tally): string =>
      `${tally.worth.hits} of ${tally.worth.of} (${(100 * shareOf(tally.worth)).toFixed(0)} %)`;
    return `${rate(now)} of the newest suggestions were taken, ${rate(before)} before; worse with probability ${worse.toFixed(3)}.`;
  }
  return `Less of what is suggested stays. ${alarms.map(({ message }) => message).join(' ')}`;
}
