/** The judges: what each says of a completion, from 0 to 1. */
import { distance } from 'fastest-levenshtein';
import type { JudgeItem } from './dataset.ts';
import type { Verdict } from './verdict.ts';

export const JUDGE_KINDS = ['exact', 'similarity', 'chat'] as const;
export type JudgeKind = (typeof JUDGE_KINDS)[number];

export interface Judge {
  readonly kind: JudgeKind;
  /** One verdict; what goes wrong on the way is a verdict too, unless it would go wrong with every other. */
  judge(item: JudgeItem, completion: string): Promise<Verdict>;
}

/** 1 when the completion is one of the solutions, white space at line ends aside; else 0. */
export const exactJudge: Judge = {
  kind: 'exact',
  judge: async ({ solutions }, completion) => {
    const text = withoutLineEnds(completion);
    return { score: solutions.some((solution) => withoutLineEnds(solution) === text) ? 1 : 0 };
  },
};

/** Edit similarity to the nearest solution: 1 − Levenshtein distance / length of the longer text. */
export const similarityJudge: Judge = {
  kind: 'similarity',
  judge: async ({ solutions }, completion) => {
    const text = withoutLineEnds(completion);
    return { score: Math.max(...solutions.map((solution) => similarity(withoutLineEnds(solution), text))) };
  },
};

function similarity(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  return longest === 0 ? 1 : 1 - distance(a, b) / longest;
}

function withoutLineEnds(text: string): string {
  return text.replace(/[ \t\r]+(?=\n|$)/g, '').trimEnd();
}
