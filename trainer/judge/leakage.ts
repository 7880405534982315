/** Validation prompts that stand in the training data too, word for word or nearly. */
import type { JudgeItem } from './dataset.ts';

export interface Leak {
  /** Ids of the items. */
  training: string;
  validation: string;
  /** Jaccard index of the shingles; 1 for texts that differ in white space alone. */
  similarity: number;
}

/** Words and signs in a row that make a shingle: fewer are idiom, more miss an edited copy. */
const SHINGLE_WORDS = 5;

/**
 * The nearest training item of each validation item that is nearer than the bound. Nearness is the Jaccard index of
 * the two prompts' shingles (Broder 1997): of the sets of five words or signs in a row, white space left out.
 *
 * @param bound 0..1; 1 finds equal texts alone.
 */
export function findLeaks(
  training: readonly JudgeItem[],
  validation: readonly JudgeItem[],
  bound: number,
): Leak[] {
  const sets = training.map((item) => shinglesOf(item));
  const owners = new Map<string, number[]>();
  for (const [index, set] of sets.entries())
    for (const shingle of set) {
      const known = owners.get(shingle);
      if (known === undefined) owners.set(shingle, [index]);
      else known.push(index);
    }
  return validation.flatMap((item) => {
    const own = shinglesOf(item);
    const shared = new Map<number, number>();
    for (const shingle of own)
      for (const index of owners.get(shingle) ?? []) shared.set(index, (shared.get(index) ?? 0) + 1);
    let nearest: Leak | null = null;
    for (const [index, count] of shared) {
      const similarity = count / (own.size + sets[index]!.size - count);
      if (similarity >= bound && similarity > (nearest?.similarity ?? 0))
        nearest = { training: training[index]!.id, validation: item.id, similarity };
    }
    return nearest === null ? [] : [nearest];
  });
}

/** Shingles of the prompt without its markers; a text of fewer words is one shingle. */
function shinglesOf({ document }: JudgeItem): Set<string> {
  // The gap is a word of its own: the same text with another gap is another prompt, but a near one.
  const words = `${document.prefix}\u0000${document.suffix}`.match(/[\p{L}\p{N}_$]+|\u0000|[^\s]/gu) ?? [];
  const shingles = new Set<string>();
  for (let at = 0; at === 0 || at + SHINGLE_WORDS <= words.length; at++)
    shingles.add(words.slice(at, at + SHINGLE_WORDS).join(' '));
  return shingles;
}
