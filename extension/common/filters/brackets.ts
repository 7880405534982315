import type { FilterView } from './types.ts';

const PAIRS: Record<string, string> = { ')': '(', ']': '[', '}': '{' };
const QUOTES = new Set(["'", '"', '`']);
const SEPARATORS = new Set([';', ',']);

/**
 * Closing brackets, quotes and separators at the end of the text that already stand right of the caret are
 * dropped: `f(|)` with `a, b)` becomes `a, b`. A bracket that the text opened itself, or a quote that it opened,
 * stays: `f(|)` with `g()` is whole.
 */
export function doubledClosers(text: string, view: FilterView): string {
  const right = /^[)\]}'"`;,]+/.exec(view.lineSuffix.trimStart())?.[0] ?? '';
  for (let size = Math.min(right.length, text.length); size > 0; size--) {
    const tail = right.slice(0, size);
    if (!text.endsWith(tail)) continue;
    const rest = text.slice(0, text.length - size);
    if ([...tail].every((closer, i) => isUnmatched(closer, rest + tail.slice(0, i)))) return rest;
  }
  return text;
}

/** True when `closer` after `before` closes nothing that `before` opened. */
function isUnmatched(closer: string, before: string): boolean {
  if (SEPARATORS.has(closer)) return true;
  if (QUOTES.has(closer)) return before.split(closer).length % 2 === 1;
  const opener = PAIRS[closer];
  let open = 0;
  for (const char of before) {
    if (char === opener) open++;
    else if (char === closer && open > 0) open--;
  }
  return open === 0;
}
