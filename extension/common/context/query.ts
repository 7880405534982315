/** What retrieval looks for: the words around the caret, nearer ones counting more. Pure. */
import type { QueryWords } from './fileIndex.ts';
import { wordsOf } from './words.ts';

const LINES_BEFORE = 20;
const LINES_AFTER = 4;
/** Lines above the caret's that count twice. */
const NEAR_LINES = 3;
const WEIGHTS = { caretLine: 3, near: 2, far: 1 };

/**
 * Words of the last lines before the caret and the first after it, each with the weight of its nearest line.
 *
 * @param prefix text before the caret, LF
 * @param suffix text after the caret, LF
 */
export function queryWords(prefix: string, suffix: string): QueryWords {
  const query = new Map<string, number>();
  const before = prefix.split('\n').slice(-LINES_BEFORE).reverse();
  before.forEach((line, distance) => {
    const weight = distance === 0 ? WEIGHTS.caretLine : distance <= NEAR_LINES ? WEIGHTS.near : WEIGHTS.far;
    addLine(query, line, weight);
  });
  for (const line of suffix.split('\n').slice(0, LINES_AFTER)) addLine(query, line, WEIGHTS.far);
  return query;
}

function addLine(query: Map<string, number>, line: string, weight: number): void {
  for (const word of wordsOf(line)) query.set(word, Math.max(query.get(word) ?? 0, weight));
}
