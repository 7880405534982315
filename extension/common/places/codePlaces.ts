/** Where in a file of code somebody stops to think. */
import type { Random } from '../random.ts';

/** Longer lines are generated or minified, nobody types them. */
export const LONGEST_LINE_CHARS = 1000;
/** A rest of a line shorter than this, or without a letter or digit, tells little. */
const SHORTEST_REST_CHARS = 3;
const SHORTEST_CONTENT_CHARS = 8;
/** A pause comes after at least this many characters of the line. */
const SHORTEST_TYPED_CHARS = 3;

/**
 * Lines that somebody thinks about: not blank, not of the licence header, of no import or re-export, with a
 * word in them. 0-based numbers.
 */
export function codeLines(text: string): number[] {
  const lines = text.split('\n');
  const skipped = new Set([...headerLines(lines), ...importLines(lines)]);
  return lines.flatMap((line, i) => {
    const content = line.trim();
    return !skipped.has(i) && content.length >= SHORTEST_CONTENT_CHARS && /\w/.test(content) ? [i] : [];
  });
}

/** Column of the first character of a line's content. */
export function contentStart(line: string): number {
  return line.length - line.trimStart().length;
}

/** A column inside a line's content where a word begins or has just ended; undefined when there is none. */
export function pauseColumn(line: string, random: Random): number | undefined {
  const from = contentStart(line) + SHORTEST_TYPED_CHARS;
  const columns: number[] = [];
  for (let column = from; column < line.length; column++) {
    const rest = line.slice(column).trimEnd();
    if (rest.length < SHORTEST_REST_CHARS || !/\w/.test(rest)) break;
    if (/^\s/.test(rest)) continue;
    if (isWordBorder(line, column)) columns.push(column);
  }
  return columns.length === 0 ? undefined : columns[random.below(columns.length)];
}

/** A text without the rest of a line, as it was before that was typed: where the caret is, and what is missing. */
export function textAround(
  text: string,
  line: number,
  column: number,
): { text: string; caret: number; rest: string } {
  const lines = text.split('\n');
  const own = lines[line]!;
  const before = [...lines.slice(0, line), own.slice(0, column)].join('\n');
  const below = lines.slice(line + 1);
  const around = below.length === 0 ? before : `${before}\n${below.join('\n')}`;
  return { text: around, caret: before.length, rest: own.slice(column).trimEnd() };
}

function isWordBorder(line: string, column: number): boolean {
  const word = /[\w$]/;
  return !word.test(line[column - 1] ?? ' ') || !word.test(line[column] ?? ' ');
}

/** The first comment of the file, blank lines, shebang and directives before it included. */
function headerLines(lines: string[]): number[] {
  const header: number[] = [];
  let inBlock = false;
  for (const [i, line] of lines.entries()) {
    const content = line.trim();
    const begins = content.startsWith('/*') || content.startsWith('"""');
    const lineComment = content.startsWith('//') || content.startsWith('#');
    const directive = /^['"]use \w+['"];?$/.test(content);
    if (!inBlock && !begins && !lineComment && !directive && content !== '') break;
    header.push(i);
    if (begins) inBlock = true;
    if (inBlock && (content.endsWith('*/') || (/"""$/.test(content) && content.length > 3))) inBlock = false;
  }
  return header;
}

/** Lines of import statements and of `export … from`, over several lines too. */
function importLines(lines: string[]): number[] {
  const found: number[] = [];
  for (let i = 0; i < lines.length; i++) {
    const end = importEnd(lines, i);
    if (end === undefined) continue;
    for (let line = i; line <= end; line++) found.push(line);
    i = end;
  }
  return found;
}

/** Last line of the import or re-export that begins in line `start`; undefined when none does. */
function importEnd(lines: string[], start: number): number | undefined {
  const line = lines[start]!;
  const isPython = /^\s*(from\s+[\w.]+\s+import|import\s+[\w.]+(\s+as\s+\w+)?\s*(,|$))/.test(line);
  if (isPython) return line.includes('(') && !line.includes(')') ? lineWith(lines, start, /\)/) : start;
  if (/^\s*(const|let|var)\s.*\brequire\(/.test(line)) return start;
  if (/^\s*import\b(?!\s*\()/.test(line)) return lineWith(lines, start, /['"];?\s*(\/\/.*)?$/);
  if (/^\s*export\s+(type\s+)?(\{|\*)/.test(line)) return lineWith(lines, start, /\}|\bfrom\s+['"]/);
  return undefined;
}

function lineWith(lines: string[], start: number, pattern: RegExp): number {
  for (let i = start; i < lines.length; i++) if (pattern.test(lines[i]!)) return i;
  return start;
}
