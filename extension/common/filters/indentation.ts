import { indentOf, type FilterView } from './types.ts';

const WIDEST_UNIT_SPACES = 8;

/** Carriage returns go: the editor puts the document's own line ends back. */
export function lineEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/**
 * A space before the caret is not doubled: `return | x` becomes `return |x`. Nor is indentation that stands there
 * already shifted by one space; a star that goes on with a comment keeps its own.
 */
export function doubledSpace(text: string, view: FilterView): string {
  if (/\S[ \t]+$/.test(view.linePrefix)) return text.replace(/^[ \t]+/, '');
  const shifted = / $/.test(view.linePrefix) && /^ [^\s*]/.test(text);
  return shifted ? text.slice(1) : text;
}

/** Indentation is written as the document writes it: tabs when the lines around are indented with tabs. */
export function documentIndent(text: string, view: FilterView): string {
  if (view.linePrefix.trim() !== '' && !view.multiline) return text;
  const unit = indentUnit(view);
  if (unit === undefined) return text;
  const lines = text.split('\n');
  const first = view.linePrefix.trim() === '' ? 0 : 1;
  const spacesPerTab = unit === '\t' ? narrowest([view.linePrefix, ...lines]) : undefined;
  return lines.map((line, i) => (i < first ? line : reindent(line, unit, spacesPerTab))).join('\n');
}

/** White space at the end of a line is never suggested. */
export function trailingSpace(text: string): string {
  return text.replace(/[ \t]+(?=\n|$)/g, '');
}

/** '\t', or that many spaces; undefined when no line around is indented. */
function indentUnit(view: FilterView): string | undefined {
  const around = [...view.linesAbove, ...view.linesBelow, view.linePrefix];
  if (around.some((line) => line.startsWith('\t'))) return '\t';
  const spaces = narrowest(around);
  return spaces === undefined ? undefined : ' '.repeat(Math.min(WIDEST_UNIT_SPACES, spaces));
}

/** Fewest spaces, at least two, that a line begins with. */
function narrowest(lines: string[]): number | undefined {
  const widths = lines.map((line) => /^ +(?=\S)/.exec(line)?.[0].length ?? 0).filter((width) => width > 1);
  return widths.length === 0 ? undefined : Math.min(...widths);
}

function reindent(line: string, unit: string, spacesPerTab: number | undefined): string {
  const indent = indentOf(line);
  const rest = line.slice(indent.length);
  if (unit !== '\t') return indent.replaceAll('\t', unit) + rest;
  if (spacesPerTab === undefined) return line;
  return indent.replaceAll(' '.repeat(spacesPerTab % 4 === 0 ? 4 : 2), '\t') + rest;
}
