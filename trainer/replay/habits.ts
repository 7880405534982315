import type { Random } from '../../extension/common/random.ts';

/** How the simulated developer answers a suggestion. Shares are probabilities, times are virtual. */
export interface Habits {
  /** A line in which the developer pauses once more, after some of it is typed. */
  pauseShare: number;
  /** A right suggestion that is typed out instead of taken. */
  typeThroughShare: number;
  /** A suggestion that is half right and taken word by word; otherwise its right part is typed. */
  wordByWordShare: number;
  /** A suggestion that is not even looked at. */
  ignoreShare: number;
  /** Of the rejections: with Escape; with the mouse, elsewhere. The rest is typed against. */
  escapeShare: number;
  moveAwayShare: number;
  /** Accepted text that is deleted again within the minute. */
  deleteShare: number;
  keystrokeMs: number;
  /** Time to read a suggestion before it is answered: from, and up to so much more. */
  readMs: number;
  readSpreadMs: number;
}

export const DEFAULT_HABITS: Habits = {
  pauseShare: 0.4,
  typeThroughShare: 0.1,
  wordByWordShare: 0.5,
  ignoreShare: 0.06,
  escapeShare: 0.2,
  moveAwayShare: 0.05,
  deleteShare: 0.06,
  keystrokeMs: 160,
  readMs: 900,
  readSpreadMs: 800,
};

/** Fewer right characters than this are typed, whatever is shown. */
const SHORTEST_TAKEN_CHARS = 3;

export type Reaction =
  | { kind: 'accept' }
  /** Takes this many characters, to the end of a word, then goes on typing. */
  | { kind: 'acceptWords'; chars: number }
  /** Types on without taking: what is right is typed through, what is wrong typed against. */
  | { kind: 'type' }
  | { kind: 'escape' }
  | { kind: 'moveAway' }
  /** Types on before the suggestion can be read. */
  | { kind: 'ignore' };

/**
 * What the developer does with a suggestion.
 *
 * @param shown one line, not empty
 * @param rest what the developer is about to type, to the end of the line
 */
export function reactionTo(shown: string, rest: string, habits: Habits, random: Random): Reaction {
  // Every die is rolled whatever is shown, so that the same place meets the same mood in every arm.
  const ignores = random.chance(habits.ignoreShare);
  const types = random.chance(habits.typeThroughShare);
  const byWord = random.chance(habits.wordByWordShare);
  const refusal = random.share();
  if (ignores) return { kind: 'ignore' };
  const right = rightChars(shown, rest);
  if (right === shown.length) return types ? { kind: 'type' } : { kind: 'accept' };
  if (right > 0) return byWord ? { kind: 'acceptWords', chars: right } : { kind: 'type' };
  if (refusal < habits.escapeShare) return { kind: 'escape' };
  if (refusal < habits.escapeShare + habits.moveAwayShare) return { kind: 'moveAway' };
  return { kind: 'type' };
}

/** Characters at the start of `shown` that come next, cut to whole words; 0 when they are not worth a key. */
export function rightChars(shown: string, rest: string): number {
  let common = 0;
  while (common < shown.length && common < rest.length && shown[common] === rest[common]) common++;
  if (common === rest.length && common === shown.length) return common;
  const word = /[\p{L}\p{N}_$]/u;
  const insideWord = (text: string): boolean =>
    word.test(text[common] ?? '') && word.test(text[common - 1] ?? '');
  while (common > 0 && (insideWord(rest) || insideWord(shown))) common--;
  return common < SHORTEST_TAKEN_CHARS ? 0 : common;
}
