/** Validation on data that is never trained on: greedy completions, by the judge that rewards and by another. */
import * as z from 'zod';
import type { Engine } from '../inference/types.ts';
import { pairedBootstrap, type PairedInterval } from '../replay/statistics.ts';
import type { JudgeConfig } from './config.ts';
import type { JudgeItem } from './dataset.ts';
import { JUDGE_KINDS, type Judge, type JudgeKind } from './judge.ts';
import { completeGreedily, promptTokens } from './rollout.ts';
import { countVerdict, noVerdicts, verdictCountsSchema } from './verdict.ts';

/** One validation, as it is kept beside the run. */
export const validationSchema = z.object({
  step: z.int().nonnegative(),
  /** By judge, in the order of the items; null where the verdict was lost. */
  scores: z.partialRecord(z.enum(JUDGE_KINDS), z.array(z.number().nullable())),
  verdicts: z.partialRecord(z.enum(JUDGE_KINDS), verdictCountsSchema),
  /** Characters of the completions, one each. */
  lengths: z.array(z.int()),
});
export type Validation = z.infer<typeof validationSchema>;

/** Completes and judges every item. */
export async function validate(
  items: readonly JudgeItem[],
  step: number,
  { engine, judges, config }: { engine: Engine; judges: readonly Judge[]; config: JudgeConfig },
  onItem: () => void,
): Promise<Validation> {
  const lengths: number[] = [];
  const verdicts = new Map(judges.map((judge) => [judge, [] as ReturnType<Judge['judge']>[]]));
  for (const item of items) {
    const text = await completeGreedily(engine, promptTokens(engine, item, config), config);
    lengths.push(text.length);
    for (const judge of judges) {
      const verdict = judge.judge(item, text);
      // Awaited below; a refusal meanwhile is not unhandled.
      verdict.catch(() => {});
      verdicts.get(judge)!.push(verdict);
    }
    onItem();
  }
  const result: Validation = { step, scores: {}, verdicts: {}, lengths };
  for (const judge of judges) {
    const own = await Promise.all(verdicts.get(judge)!);
    const counts = noVerdicts();
    for (const verdict of own) countVerdict(counts, verdict);
    result.verdicts[judge.kind] = counts;
    result.scores[judge.kind] = own.map((verdict) => ('score' in verdict ? verdict.score : null));
  }
  return result;
}

/** Mean of the scores that are there; NaN when none is. */
export function meanScore(scores: readonly (number | null)[]): number {
  const there = scores.filter((score) => score !== null);
  return there.reduce((sum, score) => sum + score, 0) / there.length;
}

/**
 * Before and after by one judge, over the items that have a verdict both times, with the paired bootstrap's 95 %
 * interval over prompts; null when no item has both.
 */
export function compareValidations(
  before: Validation,
  after: Validation,
  kind: JudgeKind,
  seed: number,
): PairedInterval | null {
  const [first, last] = [before.scores[kind] ?? [], after.scores[kind] ?? []];
  const pairs = first.flatMap((score, i) => {
    const later = last[i] ?? null;
    return score === null || later === null
      ? []
      : [{ key: String(i), before: score, after: later, weight: 1 }];
  });
  return pairs.length === 0 ? null : pairedBootstrap(pairs, seed);
}
