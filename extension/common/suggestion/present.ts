import { toLf } from '../outcome/offsets.ts';

export interface Placed {
  /** What the editor inserts at the caret, in the document's line ends. */
  insertText: string;
  /** Units to the right of the caret, in its own line, that the text replaces. */
  replaced: number;
}

/**
 * A suggestion as the editor needs it. Text to the right of the caret that the suggestion's first line ends with
 * is replaced by it instead of doubled: an editor hides an item whose range holds text that it doesn't contain,
 * and shows one that does.
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
  const firstLine = toLf(text).split('\n', 1)[0]!;
  const rest = lineSuffix.trimEnd();
  const ends = rest !== '' && onlyClosers(rest) && firstLine.endsWith(rest);
  return { insertText, replaced: Math.max(replacedAtLeast, ends ? rest.length : 0) };
}

function onlyClosers(text: string): boolean {
  return /^[)\]}>"'`;,]+$/.test(text);
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
