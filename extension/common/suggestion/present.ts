import { balanceOf } from '../filters/balance.ts';
import { scanBrackets } from '../filters/scan.ts';
import { toLf } from '../outcome/offsets.ts';

interface Placed {
  /** What the editor inserts at the caret, in the document's line ends. */
  insertText: string;
  /** UTF-16 units to the right of the caret, in its own line, that the text replaces. */
  replaced: number;
}

/** What stands around the caret. */
interface Place {
  /** Text before the caret, LF; the last lines are enough. */
  before: string;
  /** Rest of the caret's line. */
  lineSuffix: string;
  eol: '\n' | '\r\n';
  /** Units of `lineSuffix` that are known to be part of the suggestion. */
  replacedAtLeast?: number;
}

/**
 * A suggestion as the editor needs it. Closing brackets and a quote right of the caret that the suggestion closes
 * itself are replaced by it instead of doubled: an editor hides an item whose range holds text that it doesn't
 * contain, and shows one that does.
 *
 * @param text suggestion, LF
 */
export function placeSuggestion(text: string, place: Place): Placed {
  const { before, lineSuffix, eol, replacedAtLeast = 0 } = place;
  const lf = toLf(text);
  const insertText = eol === '\n' ? lf : lf.replaceAll('\n', eol);
  return { insertText, replaced: Math.max(replacedAtLeast, closedAnew(lf, before, lineSuffix)) };
}

const CLOSERS_ONLY = /^[)\]}>"'`;,]+$/;

/** How much of what stands right of the caret the suggestion writes itself. */
function closedAnew(text: string, before: string, lineSuffix: string): number {
  const rest = lineSuffix.trimEnd();
  const { state } = scanBrackets(before);
  const { replaced, scan } = balanceOf(text, state, lineSuffix);
  const firstLine = text.split('\n', 1)[0]!;
  // The semicolon behind the brackets too, where the text ends as the line does.
  const endsAlike = CLOSERS_ONLY.test(rest) && firstLine.endsWith(rest);
  return endsAlike && (scan.unopened.length > 0 || /^[;,]/.test(rest)) ? rest.length : replaced;
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
