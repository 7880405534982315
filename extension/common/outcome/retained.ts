import { toLf } from './offsets.ts';

/** Beyond this many tokens the text is compared by its first ones only: the table below is quadratic. */
const COMPARED_TOKENS_MAX = 2000;

/** Words, numbers and single other characters; white space separates and doesn't count. */
export function wordsOf(text: string): string[] {
  return toLf(text).match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/**
 * Share of `original` that is still in `current`, 0..1: characters of the longest common subsequence of words,
 * by the characters of all words. Re-indenting or re-wrapping costs nothing, a renamed identifier costs its own
 * length. A text of white space alone is retained when it stands there unchanged.
 */
export function retainedFraction(original: string, current: string): number {
  const before = wordsOf(original).slice(0, COMPARED_TOKENS_MAX);
  if (before.length === 0) return toLf(current).includes(toLf(original)) ? 1 : 0;
  const after = wordsOf(current).slice(0, 2 * COMPARED_TOKENS_MAX);
  const total = before.reduce((sum, word) => sum + word.length, 0);
  return longestCommonLength(before, after) / total;
}

/** Characters of the heaviest common subsequence of two word lists, by dynamic programming over two rows. */
function longestCommonLength(before: string[], after: string[]): number {
  let row = new Uint32Array(after.length + 1);
  for (const word of before) {
    const next = new Uint32Array(after.length + 1);
    for (let column = 0; column < after.length; column++) {
      const taken = after[column] === word ? row[column]! + word.length : 0;
      next[column + 1] = Math.max(taken, row[column + 1]!, next[column]!);
    }
    row = next;
  }
  return row[after.length]!;
}
