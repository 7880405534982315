import { findPlaceholders } from '../secrets/mask.ts';
import type { FilterView } from './types.ts';

/** The marks that begin or go on with a comment, and end one, in the languages that have any. */
const COMMENT_MARKS = /^(\/\/+[/!]?|\/\*+|\*+\/?|#+!?|--+|;;+|<!--+|%+)|(\*+\/|--+>)$/g;
/** What stands in for something to say. */
const PLACEHOLDER = /^(todo|fixme|xxx|\.\.\.|…)[\s:.]*$/i;
const BEGINS_COMMENT = /^(\/\/|\/\*|#(?=$|[\s#!])|--(?=$|\s)|<!--)/;

/** A unit of at most this many characters, repeated at least so often, is a loop of the model. */
const LOOP_UNIT_CHARS = 24;
const LOOP_REPEATS = 4;
const LOOP_SHORTEST_CHARS = 16;

/** Halves of surrogate pairs are dropped: a character that the model began and did not end. */
export function halfSurrogates(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '');
}

/** Nothing, or white space alone. */
export function emptyText(text: string): boolean {
  return text.trim() === '';
}

/** The placeholder of a masked secret, or the rest of one that the caret stands in. */
export function maskedSecret(text: string, { linePrefix }: FilterView): boolean {
  return findPlaceholders(linePrefix + text).some(({ end }) => end > linePrefix.length);
}

/** A comment that says nothing: its marks alone, a rule of dashes, a bare TODO. */
export function emptyComment(text: string, view: FilterView): boolean {
  const lines = (view.linePrefix.trim() + text).split('\n').map((line) => line.trim());
  if (!BEGINS_COMMENT.test(lines[0]!)) return false;
  return lines.every((line) => {
    const words = line.replace(COMMENT_MARKS, '').trim();
    return !/[\p{L}\p{N}]/u.test(words) || PLACEHOLDER.test(words);
  });
}

/** The same few characters over and over, filling most of the text. */
export function extremeRepetition(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed.length < LOOP_SHORTEST_CHARS) return false;
  for (let unit = 1; unit <= LOOP_UNIT_CHARS && unit * LOOP_REPEATS <= trimmed.length; unit++) {
    if (longestLoop(trimmed, unit) >= Math.max(unit * LOOP_REPEATS, trimmed.length * 0.6)) return true;
  }
  return false;
}

/** Characters of the longest stretch in which every character equals the one `unit` places before it. */
function longestLoop(text: string, unit: number): number {
  let longest = 0;
  let run = unit;
  for (let i = unit; i < text.length; i++) {
    run = text[i] === text[i - unit] ? run + 1 : unit;
    if (run > longest && run > unit) longest = run;
  }
  return longest;
}
