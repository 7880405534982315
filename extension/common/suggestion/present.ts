import { toLf } from '../outcome/offsets.ts';

interface Placed {
  /** What the editor inserts at the caret, in the document's line ends. */
  insertText: string;
  /** Units to the right of the caret, in its own line, that the text replaces. */
  replaced: number;
}

/**
 * A suggestion as the editor needs it. Closing brackets right of the caret that the suggestion closes itself are
 * replaced by it instead of doubled: an editor hides an item whose range holds text that it doesn't contain, and
 * shows one that does.
 *
 * @param text suggestion, LF
 * @param lineSuffix rest of the caret's line
 * @param replacedAtLeast units of `lineSuffix` that are known to be part of the suggestion
 */
export function placeSuggestion(
  text: string,
  lineSuffix: string,
  eol: '\n' | '\r\n',
  replacedAtLeast = 0,
): Placed {
  const insertText = eol === '\n' ? toLf(text) : toLf(text).replaceAll('\n', eol);
  const rest = lineSuffix.trimEnd();
  return { insertText, replaced: Math.max(replacedAtLeast, closedAnew(text, rest)) };
}

const CLOSERS_ONLY = /^[)\]}>"'`;,]+$/;
const OPENING_TO_CLOSING = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);
const CLOSING = new Set(OPENING_TO_CLOSING.values());

/** How much of the closing characters behind the caret the suggestion writes itself. */
function closedAnew(text: string, rest: string): number {
  if (!CLOSERS_ONLY.test(rest)) return 0;
  const firstLine = toLf(text).split('\n', 1)[0]!;
  if (firstLine.endsWith(rest)) return rest.length;
  const closers = unopenedClosers(text);
  let shared = 0;
  while (shared < closers.length && closers[shared] === rest[shared]) shared++;
  return shared;
}

/** Closing brackets of the text whose opening one stands before it, in order. */
function unopenedClosers(text: string): string[] {
  const expected: string[] = [];
  const unopened: string[] = [];
  for (const character of text) {
    const closing = OPENING_TO_CLOSING.get(character);
    if (closing !== undefined) expected.push(closing);
    else if (expected.at(-1) === character) expected.pop();
    else if (CLOSING.has(character) && expected.length === 0) unopened.push(character);
  }
  return unopened;
}

/**
 * Makes an item start with what the suggest widget has selected, or says that it can't be shown beside it.
 *
 * @param typed text of the document that the widget's item replaces
 * @param selected text that the widget would insert
 * @param suggestion what goes on at the caret
 */
export function joinSelection(typed: string, selected: string, suggestion: string): string | undefined {
  const whole = typed + suggestion;
  return whole.startsWith(selected) && whole.length > selected.length ? whole : undefined;
}
