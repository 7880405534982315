import { ONLY_CLOSERS, type FilterView } from './types.ts';

/** A unit of at most this many characters, repeated at least so often, is a loop of the model. */
const LOOP_UNIT_CHARS = 24;
const LOOP_REPEATS = 4;
const LOOP_SHORTEST_CHARS = 16;

/** Nothing, or white space alone. */
export function emptyText(text: string): boolean {
  return text.trim() === '';
}

/** A closing bracket alone on its line, or one alone after code: the editor or one key does that. */
export function loneCloser(text: string, view: FilterView): boolean {
  if (!ONLY_CLOSERS.test(text)) return false;
  return view.linePrefix.trim() === '' || text.trim().length <= 1;
}

/** The suggestion would make the caret's line equal to the next line that is not blank. */
export function repeatsLineBelow(text: string, view: FilterView): boolean {
  const below = view.linesBelow.find((line) => line.trim() !== '');
  return below !== undefined && makesLine(text, view, below);
}

/** The suggestion would make the caret's line equal to the line right above it. */
export function repeatsLineAbove(text: string, view: FilterView): boolean {
  const above = view.linesAbove.find((line) => line.trim() !== '');
  return above !== undefined && makesLine(text, view, above);
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

/** Lines of brackets and separators alone may repeat: `}` below `}` is ordinary code. */
function makesLine(text: string, view: FilterView, other: string): boolean {
  const firstLine = text.split('\n', 1)[0] ?? '';
  const line = (view.linePrefix + firstLine + view.lineSuffix).trim();
  return /\w/.test(line) && line === other.trim();
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
