import { closingOf, scanBrackets, type Scan } from '../filters/scan.ts';
import { indentOf } from '../filters/types.ts';
import type { BlockLanguage, Syntax, SyntaxNode } from './types.ts';

/** Text before the caret that is parsed at most: a bound on the time, whatever the size of the document. */
const PARSED_UNITS = 2500;

/** Comments between an opening bracket and the caret. */
const COMMENTS = /\/\/[^\n]*|\/\*[^]*?\*\//g;
/** A colon with nothing behind it but comments and a docstring. */
const LAST_COLON = /:(?=(?:\s|#[^\n]*|"""[^]*?"""|'''[^]*?''')*$)/;
/** A line that goes on with a statement begun above it, closes one, or is a comment. */
const GOES_ON = /^([)\]}*]|\/[/*]|#(\s|$)|(else|elif|except|finally|catch|case|default)\b)/;

/** Where the caret stands, as far as it matters for several lines. */
export interface Place {
  /** What is parsed before the caret: the statement that it stands in, from as far out as is in sight. */
  head: string;
  scan: Scan;
  /** Set where a block has nothing in it yet but comments. */
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
  const { language } = syntax;
  const [rest, ...below] = after.split('\n');
  const head = headOf(before);
  if (rest!.trim() !== '' || head === undefined) return undefined;
  const place: Place = { head, scan: scanBrackets(head) };
  if (place.scan.state !== 'code') return undefined;
  if (hasBlankLine(head.slice(head.trimEnd().length))) return place;
  const found = blockOf(place, syntax);
  if (found === undefined) return place;
  const { indent } = found.block;
  const nextLine = below.find((line) => line.trim() !== '');
  if (nextLine !== undefined && indentOf(nextLine).length > indent.length) return place;
  const closed = language.opener === '{' && nextLine?.startsWith(`${indent}}`) === true;
  return { head: found.head, scan: found.scan, block: { ...found.block, closed } };
}

/** The block that begins with the bracket or colon at this offset; null when it begins none. */
export function blockAt(root: SyntaxNode, opener: number, language: BlockLanguage): SyntaxNode | null {
  const token = root.descendantForIndex(opener, opener + 1);
  if (token?.type !== language.opener || token.parent === null) return null;
  if (language.opener === '{') return language.blocks.has(token.parent.type) ? token.parent : null;
  const body = token.parent.namedChildren.find(
    (child) => child && child.startIndex > opener && language.blocks.has(child.type),
  );
  return body ?? null;
}

/** What closes the brackets that are open at a text's end. */
export function closersOf({ open }: Scan): string {
  return open
    .map(({ character }) => closingOf(character))
    .reverse()
    .join('');
}

/**
 * The block that is open at the end of `head` and has nothing in it yet, if the grammar says that it is one. A member
 * of a class of which the start is out of sight parses only inside of one.
 */
function blockOf(place: Place, syntax: Syntax): Required<Place> | undefined {
  const alone = blockIn(place.head, place.scan, syntax);
  const { memberHead } = syntax.language;
  if (alone?.sound === true || memberHead === undefined || indentOf(place.head) === '') return alone;
  const head = memberHead + place.head;
  const inClass = blockIn(head, scanBrackets(head), syntax);
  return inClass?.sound === true ? inClass : (alone ?? inClass);
}

/** `sound`: everything before it parses too. */
function blockIn(
  head: string,
  scan: Scan,
  { language, parser }: Syntax,
): (Required<Place> & { sound: boolean }) | undefined {
  const opener = language.opener === '{' ? lastBrace(head, scan) : lastColon(head, scan);
  if (opener === undefined) return undefined;
  const tree = parser.parse(
    head.slice(0, opener + 1) + (language.opener === '{' ? closersOf(scan) : ' pass'),
  );
  if (tree === null) return undefined;
  const block = blockAt(tree.rootNode, opener, language);
  // What looks like a label is mostly a property of an object of which the start is out of sight.
  const opens = block !== null && !block.hasError && block.parent?.type !== 'labeled_statement';
  const sound = !tree.rootNode.hasError;
  tree.delete();
  const indent = indentOf(head.slice(head.lastIndexOf('\n', opener) + 1));
  return opens ? { head, scan, block: { opener, indent, closed: false }, sound } : undefined;
}

function lastBrace(head: string, { open }: Scan): number | undefined {
  const last = open.at(-1);
  if (
    last?.character !== '{' ||
    head
      .slice(last.offset + 1)
      .replace(COMMENTS, '')
      .trim() !== ''
  )
    return undefined;
  return last.offset;
}

/** Not that of a dictionary or a slice. */
function lastColon(head: string, { open }: Scan): number | undefined {
  return open.length > 0 ? undefined : LAST_COLON.exec(head)?.index;
}

/** The caret stands behind the last text or in the next line; a blank line between says that something else comes. */
function hasBlankLine(between: string): boolean {
  return between.split('\n').length > 2;
}

/**
 * The text from the last line that begins a statement and is indented as little as any such line in sight; undefined
 * where none begins.
 */
function headOf(before: string): string | undefined {
  const from = Math.max(0, before.length - PARSED_UNITS);
  let offset = from === 0 ? 0 : before.indexOf('\n', from) + 1;
  if (from > 0 && offset === 0) return undefined;
  let start: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const line of before.slice(offset).split('\n')) {
    const indent = indentOf(line).length;
    if (indent <= least && indent < line.length && !GOES_ON.test(line.slice(indent))) {
      least = indent;
      start = offset;
    }
    offset += line.length + 1;
  }
  return start === undefined ? undefined : before.slice(start);
}
