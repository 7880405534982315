import { scanBrackets } from '../filters/scan.ts';
import { indentOf } from '../filters/types.ts';
import { blockAt, closersOf, type Place } from './place.ts';
import type { Syntax, SyntaxNode } from './types.ts';

/**
 * A text of several lines up to where its syntax ends: of a block its finished statements, and the bracket that
 * closes it where the text writes it; elsewhere the statement that the caret stands in or before. Where nothing is
 * finished the first line is left, which is what a text of one line would have been.
 *
 * @param text LF
 */
export function cutAtSyntax(text: string, place: Place, syntax: Syntax): string {
  if (!text.includes('\n')) return text;
  const { head, scan, block } = place;
  const whole = scanBrackets(head + text);
  // On a line of their own: the text may end in a comment.
  const completed = head + text + (syntax.language.opener === '{' ? `\n${closersOf(whole)}` : '');
  const tree = syntax.parser.parse(completed);
  if (tree === null) return firstLine(text);
  const inString = whole.state !== 'code' && whole.state !== 'lineComment';
  const unfinished = whole.open.length > scan.open.length || inString;
  const end = block
    ? blockEnd(tree.rootNode, text, place, block, syntax, unfinished)
    : statementEnd(tree.rootNode, text, place, syntax, unfinished);
  tree.delete();
  return end === undefined ? firstLine(text) : text.slice(0, Math.min(text.length, end - head.length));
}

/** In the parsed text; undefined when no statement is finished. */
function blockEnd(
  root: SyntaxNode,
  text: string,
  { head }: Place,
  { opener, indent, closed }: NonNullable<Place['block']>,
  { language }: Syntax,
  unfinished: boolean,
): number | undefined {
  const block = blockAt(root, opener, language);
  if (block === null) return undefined;
  const limit = head.length + dedentAt(text, indent);
  const ends = language.opener === '{' && block.endIndex <= head.length + text.length;
  const lastLine = text.slice(limit - head.length, block.endIndex - 1 - head.length);
  if (ends && !closed && !block.hasError && lastLine.trim() === '') return block.endIndex;
  const statements = statementsOf(block, language.blocks).filter((one) => one.endIndex > head.length);
  const wrong = statements.findIndex((one) => one.hasError || one.endIndex > limit);
  const sound = wrong === -1 ? statements : statements.slice(0, wrong);
  // What is left open is left open by the last of them.
  const last = (unfinished && !ends && wrong === -1 ? sound.slice(0, -1) : sound).at(-1);
  if (last === undefined) return undefined;
  const separator = /^\s*[;,]/.exec(text.slice(last.endIndex - head.length))?.[0].length ?? 0;
  return last.endIndex + separator;
}

/** End of the statement that the caret stands in or before; undefined when it is not finished. */
function statementEnd(
  root: SyntaxNode,
  text: string,
  { head }: Place,
  { language }: Syntax,
  unfinished: boolean,
): number | undefined {
  const first = head.length + text.length - text.trimStart().length;
  let statement = root.descendantForIndex(first, first + 1);
  while (statement?.parent && statement.parent.parent && !language.blocks.has(statement.parent.type))
    statement = statement.parent;
  if (statement === null || statement.hasError || statement === root) return undefined;
  if (unfinished && statement.endIndex >= head.length + text.length) return undefined;
  return statement.endIndex;
}

/** Statements or members of a block; a list node between them and the block is looked through. */
function statementsOf(block: SyntaxNode, blocks: ReadonlySet<string>): SyntaxNode[] {
  return block.namedChildren.flatMap((child) => {
    if (child === null) return [];
    return blocks.has(child.type) && child.type.endsWith('_list') ? statementsOf(child, blocks) : [child];
  });
}

/** Offset of the first line of the text, blank ones aside, that is indented no further than the block's own line. */
function dedentAt(text: string, indent: string): number {
  let offset = 0;
  for (const [i, line] of text.split('\n').entries()) {
    if (i > 0 && line.trim() !== '' && indentOf(line).length <= indent.length) return offset;
    offset += line.length + 1;
  }
  return text.length;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!;
}
