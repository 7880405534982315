import { closingOf, scanBrackets, type Scan } from '../filters/scan.ts';
import { indentOf } from '../filters/types.ts';
import type { BlockLanguage, Syntax, SyntaxNode } from './types.ts';

/** Text before the caret that is parsed at most: a bound on the time, whatever the size of the document. */
const PARSED_UNITS = 2500;

/** Where the caret stands, as far as it matters for several lines. */
export interface Place {
  /** What is parsed of the text before the caret, from the start of a line that is indented least. */
  head: string;
  scan: Scan;
  /** Set where a block begins that has nothing in it yet. */
  block?: {
    /** Offset of the opening bracket or colon in `head`. */
    opener: number;
    /** Indentation of the line that it stands in. */
    indent: string;
    /** Its closing bracket stands below already. */
    closed: boolean;
  };
}

/**
 * Where the caret stands, or undefined where only one line can be meant: other text follows in the line, or the
 * caret is in a string or a comment.
 *
 * @param before text before the caret, LF; `after` text after it
 */
export function placeOf(before: string, after: string, syntax: Syntax): Place | undefined {
  const rest = after.split('\n', 1)[0]!;
  if (rest.trim() !== '') return undefined;
  const head = before.slice(parsedFrom(before));
  const scan = scanBrackets(head);
  if (scan.state !== 'code') return undefined;
  const opener = head.trimEnd().length - 1;
  const place: Place = { head, scan };
  if (head[opener] !== syntax.language.opener || hasBlankLine(head.slice(opener + 1))) return place;
  const indent = indentOf(head.slice(head.lastIndexOf('\n', opener) + 1));
  const below = after
    .split('\n')
    .slice(1)
    .find((line) => line.trim() !== '');
  if (below !== undefined && indentOf(below).length > indent.length) return place;
  if (!opensBlock(head, opener, scan, syntax)) return place;
  const closed = syntax.language.opener === '{' && below?.startsWith(`${indent}}`) === true;
  return { ...place, block: { opener, indent, closed } };
}

/** The block that begins with the bracket or colon at this offset; null when it begins none. */
export function blockAt(root: SyntaxNode, opener: number, language: BlockLanguage): SyntaxNode | null {
  const token = root.descendantForIndex(opener, opener + 1);
  if (token?.type !== language.opener || token.parent === null) return null;
  if (language.opener === '{') return language.blocks.has(token.parent.type) ? token.parent : null;
  const body = token.parent.namedChildren.find((child) => child !== null && child.startIndex > opener);
  return body && language.blocks.has(body.type) ? body : null;
}

/** What closes the brackets that are open at a text's end. */
export function closersOf({ open }: Scan): string {
  return open
    .map(({ character }) => closingOf(character))
    .reverse()
    .join('');
}

/** Asks the grammar: the text before the caret, completed so that it can be parsed without what follows. */
function opensBlock(head: string, opener: number, scan: Scan, { language, parser }: Syntax): boolean {
  if (language.opener === ':' && scan.open.length > 0) return false;
  const completed = head.slice(0, opener + 1) + (language.opener === '{' ? closersOf(scan) : ' pass');
  const tree = parser.parse(completed);
  if (tree === null) return false;
  const block = blockAt(tree.rootNode, opener, language);
  const opens = block !== null && !block.hasError;
  tree.delete();
  return opens;
}

/** The caret stands behind the opener or in the next line; a blank line between them says that more is to come. */
function hasBlankLine(between: string): boolean {
  return between.split('\n').length > 2;
}

/** Start of the first line that is indented as little as any and does not close something. */
function parsedFrom(before: string): number {
  const from = Math.max(0, before.length - PARSED_UNITS);
  const start = from === 0 ? 0 : before.indexOf('\n', from) + 1;
  const lines = before.slice(start).split('\n');
  const begins = (line: string): boolean => /^[ \t]*[^\s)\]}*]/.test(line);
  const least = Math.min(...lines.filter(begins).map((line) => indentOf(line).length));
  let offset = start;
  for (const line of lines) {
    if (begins(line) && indentOf(line).length === least) return offset;
    offset += line.length + 1;
  }
  return start;
}
