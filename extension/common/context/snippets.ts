/** The piece of a file that has most in common with a query. Pure. */
import type { QueryWords } from './fileIndex.ts';
import { wordsOf } from './words.ts';

/** A piece of many different words meets a query by chance: what each takes off. */
const WORD_COST = 0.02;

export interface Snippet {
  /** 0-based. */
  firstLine: number;
  /** Whole lines, LF, with a line end behind each. */
  text: string;
  score: number;
}

/**
 * The whole lines within `maxChars` with the highest summed weight of the query's words, each word counted once;
 * undefined when none that fits has a word of the query.
 *
 * @param text LF
 * @param weight what a word tells, such as its inverse document frequency
 */
export function bestSnippet(
  text: string,
  query: QueryWords,
  weight: (word: string) => number,
  maxChars: number,
): Snippet | undefined {
  const lines = text.replace(/\n$/, '').split('\n');
  const words = lines.map((line) => new Set(wordsOf(line)));
  let best: Omit<Snippet, 'text'> | undefined;
  let end = 0;
  let chars = 0;
  for (let firstLine = 0; firstLine < lines.length; firstLine++) {
    while (end < lines.length && chars + lines[end]!.length + 1 <= maxChars)
      chars += lines[end++]!.length + 1;
    const score = scoreOf(words.slice(firstLine, end));
    if (score > (best?.score ?? 0)) best = { firstLine, score };
    if (end > firstLine) chars -= lines[firstLine]!.length + 1;
    else end++;
  }
  return best && { ...best, text: wholeLines(lines, best.firstLine, maxChars) };

  function scoreOf(window: Set<string>[]): number {
    const seen = new Set(window.flatMap((line) => [...line]));
    let sum = 0;
    for (const word of seen) sum += (query.get(word) ?? 0) * weight(word);
    return sum / (1 + WORD_COST * seen.size);
  }
}

/** Lines from `firstLine` on, as many as fit into `maxChars`, each with its line end. */
export function wholeLines(lines: readonly string[], firstLine: number, maxChars: number): string {
  let text = '';
  for (let line = firstLine; line < lines.length; line++) {
    const next = `${text}${lines[line]!}\n`;
    if (next.length > maxChars) break;
    text = next;
  }
  return text.trim() === '' ? '' : text;
}
