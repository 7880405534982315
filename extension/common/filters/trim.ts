import type { FilterView } from './types.ts';

/** Shortest text right of the caret that ends a completion wherever it is repeated. */
const SHORTEST_SUFFIX_STOP_CHARS = 3;

/** Carriage returns go: the editor puts the document's own line ends back. */
export function lineEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Halves of surrogate pairs are dropped: a character that the model began and did not end. */
export function halfSurrogates(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '');
}

/**
 * Only the first line is kept. A text that begins with a line end has nothing to add to the caret's line and
 * becomes empty: what it would put on the next line is asked for there.
 */
export function singleLine(text: string, view: FilterView): string {
  if (view.multiline) return text;
  const end = text.indexOf('\n');
  return end === -1 ? text : text.slice(0, end);
}

/** A space before the caret is not doubled: `return | x` becomes `return |x`. Indentation is left alone. */
export function doubledSpace(text: string, view: FilterView): string {
  const afterWord = /\S[ \t]+$/.test(view.linePrefix);
  return afterWord ? text.replace(/^[ \t]+/, '') : text;
}

/** Indentation is written as the document writes it: tabs when the lines around are indented with tabs. */
export function documentIndent(text: string, view: FilterView): string {
  if (view.linePrefix.trim() !== '' && !view.multiline) return text;
  const unit = indentUnit(view);
  if (unit === undefined) return text;
  const lines = text.split('\n');
  const first = view.linePrefix.trim() === '' ? 0 : 1;
  return lines.map((line, i) => (i < first ? line : reindent(line, unit))).join('\n');
}

/** What stands right of the caret ends the text where the text comes to it. */
export function stopAtSuffix(text: string, view: FilterView): string {
  const stop = view.lineSuffix.trim();
  if (stop.length < SHORTEST_SUFFIX_STOP_CHARS || /^[)\]}>;,'"`]+$/.test(stop)) return text;
  const at = text.indexOf(stop);
  if (at >= 0) return text.slice(0, at);
  return text.slice(0, text.length - overlap(text, view.lineSuffix));
}

/** White space at the end of a line is never suggested. */
export function trailingSpace(text: string): string {
  return text.replace(/[ \t]+(?=\n|$)/g, '');
}

/** Length of the longest end of `text` that begins `suffix`, at least SHORTEST_SUFFIX_STOP_CHARS, else 0. */
function overlap(text: string, suffix: string): number {
  for (let size = Math.min(text.length, suffix.length); size >= SHORTEST_SUFFIX_STOP_CHARS; size--) {
    if (text.endsWith(suffix.slice(0, size))) return size;
  }
  return 0;
}

/** '\t', or that many spaces; undefined when no line around is indented. */
function indentUnit(view: FilterView): string | undefined {
  const around = [...view.linesAbove, ...view.linesBelow, view.linePrefix];
  if (around.some((line) => line.startsWith('\t'))) return '\t';
  const widths = around.map((line) => /^ +(?=\S)/.exec(line)?.[0].length ?? 0).filter((width) => width > 1);
  return widths.length === 0 ? undefined : ' '.repeat(Math.min(8, ...widths));
}

function reindent(line: string, unit: string): string {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  if (unit === '\t') {
    const spaces = / {2,}/.exec(indent)?.[0].length;
    if (spaces === undefined) return line;
    const spacesPerTab = spaces % 4 === 0 ? 4 : 2;
    return indent.replaceAll(' '.repeat(spacesPerTab), '\t') + line.slice(indent.length);
  }
  return indent.replaceAll('\t', unit) + line.slice(indent.length);
}
