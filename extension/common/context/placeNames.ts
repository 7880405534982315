/** Which names near a caret are worth a question to the language server. Pure. */
import { importsOf } from './imports.ts';

/** A name that is used this near to the caret, in lines, is worth its definition. */
export const NAME_LINES = 12;
const IDENTIFIER = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
/** What stands before a bracket and is no call. */
const NO_CALLS = new Set(
  'if for while switch catch return function def fn func match with await typeof super and or not in elif'.split(
    ' ',
  ),
);

export interface PlaceName {
  name: string;
  /** In the text before the caret, both 0-based. */
  line: number;
  character: number;
  /** Lines to the caret; 0: the same one. */
  distance: number;
}

/**
 * Names in the lines before a caret that the document imports or that are called there, each at its last place, the
 * nearest one first.
 *
 * @param imports text with the document's import statements, LF
 * @param before text before the caret, LF
 */
export function namesNear(imports: string, before: string): PlaceName[] {
  const imported = new Set(importsOf(imports).flatMap(({ names }) => names));
  const lines = before.split('\n');
  const first = Math.max(0, lines.length - NAME_LINES);
  const found = new Map<string, PlaceName>();
  for (let line = lines.length - 1; line >= first; line--) {
    const text = lines[line]!;
    for (const { 0: name, index: character } of [...text.matchAll(IDENTIFIER)].reverse()) {
      const isCalled = text[character + name.length] === '(' && !NO_CALLS.has(name);
      if (found.has(name) || !(isCalled || imported.has(name))) continue;
      found.set(name, { name, line, character, distance: lines.length - 1 - line });
    }
  }
  return [...found.values()];
}
