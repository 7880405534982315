/** What stands around the caret, cut to what the model gets to see. Pure; text has LF line ends. */

/**
 * Characters per token of the embedded model's tokenizer on TypeScript, rounded down: an estimate, the server
 * counts the real tokens and cuts on the left what does not fit.
 */
export const CHARS_PER_TOKEN = 3;

export interface WindowBudget {
  /** Most tokens before the caret. */
  prefixTokens: number;
  /** The start of the prefix moves in steps of about this many tokens. */
  stepTokens: number;
  /** Most tokens after the caret. */
  suffixTokens: number;
  /** Most lines after the caret, the rest of the caret's own line included. */
  suffixLines: number;
}

/**
 * 192 to 256 tokens before the caret: the embedded model gains nothing from more, and a cold request takes
 * twice as long with 480. A short suffix, because it stands in front in suffix-prefix-middle order.
 */
export const DEFAULT_WINDOW_BUDGET: WindowBudget = {
  prefixTokens: 256,
  stepTokens: 64,
  suffixTokens: 40,
  suffixLines: 6,
};

export interface PromptWindow {
  prefix: string;
  suffix: string;
  /** Relative to the workspace, with forward slashes. */
  path: string;
  /** UTF-16 offsets in the document: text.slice(start, caret) is the prefix, text.slice(caret, end) the suffix. */
  start: number;
  end: number;
}

/**
 * Cuts the window around a caret.
 *
 * The start lies on a grid of line borders that depends only on the text above it, so that from one keystroke to
 * the next the prefix grows at its end and the server's cache of it stays valid; it moves once every
 * `stepTokens`. A caret between the halves of a surrogate pair is moved before the pair.
 *
 * @param text document, LF line ends
 * @param caret UTF-16 offset, 0..text.length
 * @param path relative path of the document, any slashes
 */
export function promptWindow(
  text: string,
  caret: number,
  path: string,
  budget: WindowBudget = DEFAULT_WINDOW_BUDGET,
): PromptWindow {
  const at = beforePair(text, Math.max(0, Math.min(caret, text.length)));
  const start = windowStart(text, at, budget);
  const end = windowEnd(text, at, budget);
  return {
    prefix: text.slice(start, at),
    suffix: text.slice(at, end),
    path: path.replaceAll('\\', '/'),
    start,
    end,
  };
}

/** The first line border after the last grid point that leaves at most `prefixTokens` before the caret. */
function windowStart(text: string, caret: number, budget: WindowBudget): number {
  const mostChars = budget.prefixTokens * CHARS_PER_TOKEN;
  if (caret <= mostChars) return 0;
  const stepChars = Math.max(1, budget.stepTokens * CHARS_PER_TOKEN);
  const gridPoint = Math.min(caret, Math.ceil((caret - mostChars) / stepChars) * stepChars);
  const newline = text.indexOf('\n', gridPoint - 1);
  // In a line longer than a step there is no border near: then the grid point itself is the start.
  const border = newline === -1 || newline + 1 > gridPoint + stepChars ? gridPoint : newline + 1;
  return beforePair(text, Math.min(border, caret));
}

/** Whole lines after the caret as far as the budget goes; of the first line that is not blank at least a part. */
function windowEnd(text: string, caret: number, budget: WindowBudget): number {
  const limit = Math.min(text.length, caret + budget.suffixTokens * CHARS_PER_TOKEN);
  let end = caret;
  for (let line = 0; line < budget.suffixLines; line++) {
    const newline = text.indexOf('\n', end);
    const lineEnd = newline === -1 ? text.length : newline;
    // The line alone has to fit, so that it is no other with a line break behind it than at the end of the text.
    if (lineEnd > limit) return text.slice(caret, end).trim() === '' ? beforePair(text, limit) : end;
    end = Math.min(text.length, lineEnd + 1);
    if (end === text.length) break;
  }
  return end;
}

/** The offset, or the one before it when it would part a surrogate pair. */
function beforePair(text: string, offset: number): number {
  if (offset <= 0 || offset >= text.length) return offset;
  const splits = isHighSurrogate(text.charCodeAt(offset - 1)) && isLowSurrogate(text.charCodeAt(offset));
  return splits ? offset - 1 : offset;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Whether a UTF-16 unit is the second half of a pair. */
export function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
