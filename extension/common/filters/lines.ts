import { balanceOf } from './balance.ts';
import { scanBrackets } from './scan.ts';
import type { FilterView } from './types.ts';

/** The next lines that a suggestion may repeat, blank ones not counted. */
const LINES_COMPARED_BELOW = 2;
/** A line further above is repeated by chance when it is short. */
const SHORTEST_DISTANT_CHARS = 24;
const LINES_COMPARED_ABOVE = 3;
/** A text that goes on by repeating as many of its last lines repeats itself. */
const LONGEST_PERIOD_LINES = 4;

/**
 * Only the first line is kept; of several lines too, where the caret stands in a string that ends in its line. A text
 * that begins with a line end has nothing to add to the caret's line and becomes empty: what it would put on the next
 * line is asked for there.
 */
export function singleLine(text: string, view: FilterView): string {
  const end = text.indexOf('\n');
  if (view.multiline && !goesOnInString(text.slice(0, end), view)) return text;
  return end === -1 ? text : text.slice(0, end);
}

/** Of several lines the last one goes, where a limit on the length ended the text somewhere in it. */
export function unfinishedLine(text: string, view: FilterView): string {
  const end = text.lastIndexOf('\n');
  return view.multiline && view.truncated && end >= 0 ? text.slice(0, end) : text;
}

/**
 * A line, or a few lines, that the text writes twice in a row are written once, and the text ends there. Lines that
 * are indented otherwise are others; the first one's indentation stands before the caret.
 */
export function repeatedLines(text: string): string {
  const lines = text.split('\n');
  for (let end = 2; end <= lines.length; end++) {
    for (let period = 1; period <= LONGEST_PERIOD_LINES && 2 * period <= end; period++) {
      const second = lines.slice(end - period, end);
      const first = lines.slice(end - 2 * period, end - period);
      const fromCaret = end === 2 * period;
      const isSame = (line: string, i: number): boolean =>
        fromCaret && i === 0 ? line.trim() === first[i]!.trim() : line.trimEnd() === first[i]!.trimEnd();
      if (second.some(hasWord) && second.every(isSame)) return lines.slice(0, end - period).join('\n');
    }
  }
  return text;
}

/** Whether a line leaves the string open in which the caret stands, where a line end can't be in it. */
function goesOnInString(line: string, { before: { state } }: FilterView): boolean {
  return (state === "'" || state === '"') && scanBrackets(line, state).state === state;
}

/** The suggestion would make the caret's line equal to one of the next lines. */
export function repeatsLineBelow(text: string, view: FilterView): boolean {
  const below = notBlank(view.linesBelow).slice(0, LINES_COMPARED_BELOW);
  return below.some((line, i) => makesLine(text, view, line, i));
}

/** The suggestion would make the caret's line equal to one of the lines right above it. */
export function repeatsLineAbove(text: string, view: FilterView): boolean {
  const above = notBlank(view.linesAbove).slice(0, LINES_COMPARED_ABOVE);
  return above.some((line, i) => makesLine(text, view, line, i));
}

/**
 * Lines of brackets and separators alone may repeat: `}` below `}` is ordinary code. So may short lines, but for the
 * nearest one.
 */
function makesLine(text: string, view: FilterView, other: string, distance: number): boolean {
  const firstLine = text.split('\n', 1)[0]!;
  const { replaced } = balanceOf(firstLine, view.before.state, view.lineSuffix);
  const line = (view.linePrefix + firstLine + view.lineSuffix.slice(replaced)).trim();
  if (!hasWord(line) || line !== other.trim()) return false;
  return distance === 0 || line.length >= SHORTEST_DISTANT_CHARS;
}

function notBlank(lines: string[]): string[] {
  return lines.filter((line) => line.trim() !== '');
}

function hasWord(line: string): boolean {
  return /\w/.test(line);
}
