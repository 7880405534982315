/** What a judge says of a completion, and how a language model's answer is read. */
import * as z from 'zod';

/** Why there is no score; each is counted under its name. */
export type LossReason =
  | 'empty'
  | 'unreadable'
  | 'ambiguous'
  | 'outOfRange'
  | 'cutOff'
  | 'notChat'
  | 'timeout'
  | 'connection'
  | `http${number}`;

/** A score from 0 to 1, or the reason why there is none: one that can't be read is never replaced by a default. */
export type Verdict = { score: number; cached?: true } | { lost: LossReason };

/** The scale on which a language model is asked to judge. */
export const HIGHEST_SCORE = 10;

const NUMBER = String.raw`(-?\d+(?:\.\d+)?)(?:\s*\/\s*10)?`;
/** "Score: 7", "**Score:** 7/10", {"score": 7}. */
const LABELLED = new RegExp(String.raw`\bscore\b["'*_\s]*[:=]["'*_\s]*${NUMBER}(?![\w.]*\w)`, 'gi');
/** A number that is all of the answer. */
const ALONE = new RegExp(String.raw`^[*_"']*${NUMBER}[*_"']*\.?$`);
/** What a reasoning model thinks aloud is no verdict. */
const THOUGHT = /<think>[^]*?<\/think>/g;

/**
 * Reads the score out of an answer: the labelled number, or the number that is all of the answer. Anything else, two
 * different labelled numbers, and one beyond the scale are lost.
 */
export function readVerdict(answer: string): Verdict {
  const text = answer.replace(THOUGHT, '').trim();
  if (text === '') return { lost: 'empty' };
  if (text.includes('<think>')) return { lost: 'unreadable' };
  const labelled = new Set([...text.matchAll(LABELLED)].map((match) => Number(match[1])));
  if (labelled.size > 1) return { lost: 'ambiguous' };
  const [score] = labelled.size === 1 ? labelled : [Number(ALONE.exec(text)?.[1] ?? Number.NaN)];
  if (Number.isNaN(score)) return { lost: 'unreadable' };
  if (score! < 0 || score! > HIGHEST_SCORE) return { lost: 'outOfRange' };
  return { score: score! / HIGHEST_SCORE };
}

/** Verdicts that were asked for, by what became of them. */
export const verdictCountsSchema = z.object({
  scored: z.int().nonnegative(),
  /** Of the scored, those that the cache had. */
  cached: z.int().nonnegative(),
  /** By reason. */
  lost: z.record(z.string(), z.int().positive()),
});
export type VerdictCounts = z.infer<typeof verdictCountsSchema>;

export function noVerdicts(): VerdictCounts {
  return { scored: 0, cached: 0, lost: {} };
}

/** Adds a verdict to the counts. */
export function countVerdict(counts: VerdictCounts, verdict: Verdict): void {
  if ('lost' in verdict) {
    counts.lost[verdict.lost] = (counts.lost[verdict.lost] ?? 0) + 1;
    return;
  }
  counts.scored++;
  if (verdict.cached) counts.cached++;
}

/** Verdicts that were lost, and those that were asked for. */
export function lossesOf({ scored, lost }: VerdictCounts): { lost: number; asked: number } {
  const total = Object.values(lost).reduce((sum, count) => sum + count, 0);
  return { lost: total, asked: total + scored };
}

/** `timeout 3, http500 1` */
export function lossReasons({ lost }: VerdictCounts): string {
  return Object.entries(lost)
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ');
}
