import { DISPLAY_FILTER } from '../../extension/common/filters/index.ts';
import { extremeRepetition } from '../../extension/common/filters/noise.ts';
import { TYPED_THROUGH_SHARE } from '../../extension/common/outcome/verdict.ts';
import { rewardOf } from '../../extension/common/reward/reward.ts';
import type { ServedOutcome } from '../store/types.ts';
import { meanOf, momentsOf, shareOf, type Moments, type Share } from './proof.ts';

/** Shorter ends of the suffix are written again by chance. */
const MIN_REPEATED_CHARS = 3;

/**
 * What was served and what became of it, counted so that no way to please one figure alone goes unseen: silence,
 * short and obvious text, text that stands there already, loops.
 */
export interface Tally {
  /** Of all requests. */
  silent: Share;
  suppressed: Share;
  /** Of them those that the display filter hid. */
  unlikely: Share;
  /** Of the suggestions that were shown. */
  oneCharacter: Share;
  shownChars: Moments;
  /** Of the texts that the model wrote, before filters. */
  repeatsSuffix: Share;
  repetitive: Share;
  /** Of the suggestions that the developer judged: worth showing by the reward. */
  worth: Share;
  /** Characters that stayed, by request; what was ignored is left out. */
  retainedChars: Moments;
}

/** Counts a set of outcomes. */
export function tallyOf(rows: readonly ServedOutcome[]): Tally {
  const is = (kind: string) => (row: ServedOutcome) => row.outcome.kind === kind;
  const shown = rows.filter((row) => row.shownText !== '' && !is('silent')(row) && !is('suppressed')(row));
  const written = rows.filter((row) => row.rawText.trim() !== '');
  const judged = rows.map(worthShowing).filter((worth) => worth !== null);
  const settled = rows.filter((row) => !is('ignored')(row));
  return {
    silent: count(rows, is('silent')),
    suppressed: count(rows, is('suppressed')),
    unlikely: count(rows, ({ outcome }) => outcome.kind === 'suppressed' && outcome.by === DISPLAY_FILTER),
    oneCharacter: count(shown, (row) => [...row.shownText.trim()].length <= 1),
    shownChars: momentsOf(shown.map((row) => row.shownText.length)),
    repeatsSuffix: count(written, (row) => repeatsSuffix(row.rawText, row.suffix)),
    repetitive: count(written, (row) => extremeRepetition(row.rawText)),
    worth: count(judged, (worth) => worth),
    retainedChars: momentsOf(settled.map(retainedCharsOf)),
  };
}

/** The same as shares and means, by tag. */
export function servedFigures(tally: Tally): Record<string, number> {
  return {
    'served/requests': tally.silent.of,
    'served/judged': tally.worth.of,
    'served/accept_rate': shareOf(tally.worth),
    'served/retained_chars': meanOf(tally.retainedChars),
    'served/shown_chars': meanOf(tally.shownChars),
    'served/silent_share': shareOf(tally.silent),
    'served/suppressed_share': shareOf(tally.suppressed),
    'served/unlikely_share': shareOf(tally.unlikely),
    'served/one_character_share': shareOf(tally.oneCharacter),
    'served/repeats_suffix_share': shareOf(tally.repeatsSuffix),
    'served/repetition_share': shareOf(tally.repetitive),
  };
}

/** Whether the model wrote what stands right of the caret, or the next line with anything on it, again. */
export function repeatsSuffix(rawText: string, suffix: string): boolean {
  const stands = firstLineWithText(suffix);
  const wrote = firstLineWithText(rawText);
  // Closing brackets and the like follow one another; that says nothing.
  if (stands.length < MIN_REPEATED_CHARS || !/[\p{L}\p{N}]/u.test(stands)) return false;
  return (
    wrote === stands || wrote.endsWith(stands) || (wrote !== '' && stands.startsWith(wrote) && isWord(wrote))
  );
}

/** Whether the reward says that it was worth showing; null: nobody judged it, or it earns nothing. */
function worthShowing(row: ServedOutcome): boolean | null {
  const reward = rewardOf({ ...row, shownChars: row.shownText.length });
  return reward === null || reward.reward === 0 ? null : reward.reward > 0;
}

function retainedCharsOf({ outcome, shownText, retained }: ServedOutcome): number {
  switch (outcome.kind) {
    case 'accepted':
      return shownText.length * (retained ?? 1);
    case 'partiallyAccepted':
      return outcome.chars;
    case 'typedThrough':
      return outcome.chars >= TYPED_THROUGH_SHARE * shownText.length
        ? outcome.chars * (retained ?? 1)
        : outcome.chars;
    default:
      return 0;
  }
}

function firstLineWithText(text: string): string {
  return text.trimStart().split('\n', 1)[0]!.trimEnd();
}

function isWord(text: string): boolean {
  return text.length >= MIN_REPEATED_CHARS && /[\p{L}\p{N}]/u.test(text);
}

function count<T>(items: readonly T[], holds: (item: T) => boolean): Share {
  return { hits: items.filter(holds).length, of: items.length };
}
