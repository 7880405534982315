import { closingOf, scanBrackets } from '../filters/scan.ts';

/**
 * Text after the caret without the closing brackets and quotes that an editor puts there by itself, the ones of what
 * the caret's own line opens. Shown to the model, they would come and go at the head of a suffix that stands before
 * everything else in suffix-prefix-middle order, and the whole prompt would be read again at each bracket; the model
 * is no better for them (docs/completions.md). Where anything else follows in the line, the text is as it is.
 *
 * @param before text before the caret, LF
 * @param after text after the caret, LF
 */
export function withoutOwnClosers(before: string, after: string): string {
  const newline = after.indexOf('\n');
  const rest = newline === -1 ? after : after.slice(0, newline);
  const closers = rest.trimEnd();
  if (closers === '') return after;
  const { open, state, begun } = scanBrackets(before.slice(before.lastIndexOf('\n') + 1));
  const quote = begun === undefined || state === 'lineComment' || state === 'blockComment' ? '' : state;
  const brackets = open.toReversed().map(({ character }) => closingOf(character));
  const own = quote + brackets.join('');
  return own.startsWith(closers) ? after.slice(rest.length) : after;
}
