import { keyedRandom, sampleInOrder, type Random } from './random.ts';
import type { SourceFile } from './files.ts';

/** A rest of a line shorter than this, or without a letter or digit, tells little. */
const SHORTEST_REST_CHARS = 3;
const SHORTEST_CONTENT_CHARS = 8;
/** A pause comes after at least this many characters of the line. */
const SHORTEST_TYPED_CHARS = 3;

/** A place at which a completion is asked for. */
export interface Position {
  path: string;
  language: string;
  /** 0-based. */
  line: number;
  /** UTF-16 units of the line before the caret. */
  column: number;
  /** True: at the first character of the line's content. */
  atStart: boolean;
}

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

/**
 * Fixed positions for a before and after, the same for every adapter: spread over the file, half of them at the
 * first character of a line's content and half inside it.
 */
export function evaluationPositions(file: SourceFile, count: number, seed: number): Position[] {
  const random = keyedRandom(seed, `evaluate ${file.path}`);
  const lines = sampleInOrder(codeLines(file.text), count, random);
  return lines.flatMap((line, i) => {
    const atStart = i % 2 === 0;
    const text = file.text.split('\n')[line]!;
    const column = atStart ? contentStart(text) : pauseColumn(text, random);
    return column === undefined ? [] : [{ path: file.path, language: file.language, line, column, atStart }];
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

/** What the developer has typed before the position and what stands below it, as one document. */
export function documentAt(
  file: SourceFile,
  position: Position,
): { text: string; caret: number; rest: string } {
  const lines = file.text.split('\n');
  const line = lines[position.line]!;
  const before = [...lines.slice(0, position.line), line.slice(0, position.column)].join('\n');
  const below = lines.slice(position.line + 1);
  const text = below.length === 0 ? before : `${before}\n${below.join('\n')}`;
  return { text, caret: before.length, rest: line.slice(position.column).trimEnd() };
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
