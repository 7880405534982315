import { meanDifference, meanOf, shareDifference, shareOf, type Difference, type Share } from './proof.ts';
import type { Tally } from './tally.ts';

/** A way in which figures are pleased and the developer isn't. */
export type AlarmName =
  'silence' | 'oneCharacter' | 'shorterText' | 'repeatsSuffix' | 'repetition' | 'acceptedNotKept';

export interface Alarm {
  name: AlarmName;
  /** A sentence with the numbers. */
  message: string;
}

export const ALARM_NAMES: readonly AlarmName[] = [
  'silence',
  'oneCharacter',
  'shorterText',
  'repeatsSuffix',
  'repetition',
  'acceptedNotKept',
];

/** One-sided normal quantile of every alarm, 99 %: six are looked at again and again. */
const ALARM_QUANTILE = 2.326;
/** Requests on either side below which nothing is compared. */
const MIN_REQUESTS = 40;
/** A share has to rise, or the shown length to fall, by more than this; points and fractions. */
const TOLERANCE = 0.1;
/** Shares that are too much whatever was before. */
const CEILINGS: Record<'silence' | 'oneCharacter' | 'repeatsSuffix' | 'repetition', number> = {
  silence: 0.8,
  oneCharacter: 0.5,
  repeatsSuffix: 0.2,
  repetition: 0.2,
};

/**
 * What is proven to have gone wrong with what is served. Silence alone may be right, so an alarm only tells; see
 * `fuse.ts` for what ends a version.
 *
 * @param before what was served earlier; with less than `MIN_REQUESTS` of it only the ceilings hold
 */
export function gamingAlarms(before: Tally, now: Tally): Alarm[] {
  if (now.silent.of < MIN_REQUESTS) return [];
  const comparable = before.silent.of >= MIN_REQUESTS;
  const alarms: Alarm[] = [];
  const watch = (name: keyof typeof CEILINGS, earlier: Share, later: Share, what: string): void => {
    const ceiling = CEILINGS[name];
    const percent = `${say(shareOf(later))} of ${later.of}`;
    // As many trials with exactly the ceiling's share: is the share proven above it?
    if (lower(shareDifference({ hits: ceiling * later.of, of: later.of }, later)) > 0)
      alarms.push({ name, message: `${what}: ${percent}, over the ceiling of ${say(ceiling)}.` });
    else if (comparable && lower(shareDifference(earlier, later)) > TOLERANCE)
      alarms.push({
        name,
        message: `${what}: ${percent}, ${say(shareOf(earlier))} of ${earlier.of} before.`,
      });
  };
  watch('silence', before.silent, now.silent, 'Silent');
  watch('oneCharacter', before.oneCharacter, now.oneCharacter, 'Suggestions of one character');
  watch('repeatsSuffix', before.repeatsSuffix, now.repeatsSuffix, 'Texts that stand there already');
  watch('repetition', before.repetitive, now.repetitive, 'Texts that repeat themselves');
  if (comparable && now.shownChars.of > 0)
    alarms.push(...lengthAlarm(before, now), ...divergenceAlarm(before, now));
  return alarms;
}

/** Whether fewer characters are proven to stay of a request than before, beyond the tolerance. */
export function keepsLess(before: Tally, now: Tally): boolean {
  if (before.silent.of < MIN_REQUESTS || now.silent.of < MIN_REQUESTS) return false;
  const { difference, standardError } = meanDifference(before.retainedChars, now.retainedChars);
  return difference + ALARM_QUANTILE * standardError < -TOLERANCE * meanOf(before.retainedChars);
}

function lengthAlarm(before: Tally, now: Tally): Alarm[] {
  const { difference, standardError } = meanDifference(before.shownChars, now.shownChars);
  if (difference + ALARM_QUANTILE * standardError >= -TOLERANCE * meanOf(before.shownChars)) return [];
  const [was, is] = [before, now].map((tally) => meanOf(tally.shownChars).toFixed(1));
  return [{ name: 'shorterText', message: `Shown text is ${is} characters long, ${was} before.` }];
}

/** Acceptance is up and what stays of it is down: easy text is offered. */
function divergenceAlarm(before: Tally, now: Tally): Alarm[] {
  const accepted = shareDifference(before.worth, now.worth);
  const kept = meanDifference(before.retainedChars, now.retainedChars);
  if (lower(accepted) <= 0 || kept.difference + ALARM_QUANTILE * kept.standardError >= 0) return [];
  const rates = `${say(shareOf(before.worth))} to ${say(shareOf(now.worth))}`;
  const chars = `${meanOf(before.retainedChars).toFixed(1)} to ${meanOf(now.retainedChars).toFixed(1)}`;
  return [
    {
      name: 'acceptedNotKept',
      message: `Accept rate rose from ${rates} while characters kept of a request fell from ${chars}.`,
    },
  ];
}

function lower({ difference, standardError }: Difference): number {
  return difference - ALARM_QUANTILE * standardError;
}

function say(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
