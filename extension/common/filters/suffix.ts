import { scanBrackets } from './scan.ts';
import type { FilterView } from './types.ts';

/** Shortest text right of the caret that ends a completion wherever it is repeated; a shorter one only at its end. */
const SHORTEST_SUFFIX_STOP_CHARS = 3;
/** A line below must have so many characters to end a completion alone; a shorter one is too common. */
const SHORTEST_LINE_STOP_CHARS = 6;

/**
 * What stands right of the caret ends the text where the text comes to it. A closing bracket or tag that the text
 * opened itself is its own: before `</div>` the text `<div>a</div>` is whole.
 */
export function stopAtSuffix(text: string, view: FilterView): string {
  const stop = view.lineSuffix.trim();
  if (stop === '' || /^[)\]}>;,'"`]+$/.test(stop)) return text;
  const end = text.length - stop.length;
  if (text.endsWith(stop) && beginsThere(text, end, view) && !isOwn(text.slice(0, end), stop))
    return text.slice(0, end);
  if (stop.length < SHORTEST_SUFFIX_STOP_CHARS) return text;
  for (let at = text.indexOf(stop); at >= 0; at = text.indexOf(stop, at + 1)) {
    if (beginsThere(text, at, view) && !isOwn(text.slice(0, at), stop)) return text.slice(0, at);
  }
  const overlapping = text.slice(0, text.length - overlap(text, view.lineSuffix));
  return isOwn(overlapping, stop) ? text : overlapping;
}

/** A text of several lines ends where it comes to the next line below that is not blank, indented as it is there. */
export function stopAtLineBelow(text: string, view: FilterView): string {
  const below = view.linesBelow.map((line) => line.trimEnd()).filter((line) => line !== '');
  const [stop, second] = below;
  if (stop === undefined || !/\w/.test(stop)) return text;
  const lines = text.split('\n');
  const at = lines.findIndex((line, i) => {
    if (i === 0 || line.trimEnd() !== stop) return false;
    return stop.trimStart().length >= SHORTEST_LINE_STOP_CHARS || lines[i + 1]?.trimEnd() === second;
  });
  return at === -1 ? text : lines.slice(0, at).join('\n');
}

/** Not in the middle of a word that only ends like what stands there. */
function beginsThere(text: string, at: number, view: FilterView): boolean {
  const word = /[\p{L}\p{N}_$]/u;
  const before = at === 0 ? '' : text[at - 1]!;
  return !(word.test(before) && word.test(view.lineSuffix[0] ?? ''));
}

/** Whether what would end the text closes a bracket or a tag that the text opened before. */
function isOwn(before: string, stop: string): boolean {
  if (/^[)\]}]/.test(stop)) return scanBrackets(before).open.length > 0;
  const tag = /^<\/([\w.]*)/.exec(stop)?.[1];
  if (tag === undefined) return false;
  const opened = before.match(/<([\w.]*)(?=[\s>])/g) ?? [];
  const closed = before.match(/<\/([\w.]*)/g) ?? [];
  return opened.filter((one) => one === `<${tag}`).length > closed.filter((one) => one === `</${tag}`).length;
}

/** Length of the longest end of `text` that begins `suffix`, at least SHORTEST_SUFFIX_STOP_CHARS, else 0. */
function overlap(text: string, suffix: string): number {
  for (let size = Math.min(text.length, suffix.length); size >= SHORTEST_SUFFIX_STOP_CHARS; size--) {
    if (text.endsWith(suffix.slice(0, size))) return size;
  }
  return 0;
}
