import { promptWindow, type PromptWindow } from '../prompt/window.ts';

/** More than a prompt window reaches, in UTF-16 units; the whole of a long document is never read. */
export const READ_BEFORE_UNITS = 4000;
export const READ_AFTER_UNITS = 2000;

/**
 * The prompt's window as it would be cut from the whole document, from a part of it. Where it starts depends on
 * offsets in the whole, so what was not read is stood for by blanks, which the window doesn't reach.
 *
 * @param before text before the caret, LF, `READ_BEFORE_UNITS` of it where the document has them
 * @param after text after the caret, LF
 * @param caret UTF-16 offset of the caret in the whole document with LF line ends
 */
export function partialWindow(before: string, after: string, caret: number, path: string): PromptWindow {
  const unread = ' '.repeat(caret - before.length);
  return promptWindow(unread + before + after, caret, path);
}
