/** Validation on data that is never trained on, by the judge that rewards and by another. */
import * as z from 'zod';
import type { Engine } from '../inference/types.ts';
import { pairedBootstrap, type PairedInterval } from '../replay/statistics.ts';
import type { JudgeConfig } from './config.ts';
import type { JudgeItem } from './dataset.ts';
import { JUDGE_KINDS, type Judge, type JudgeKind } from './judge.ts';
import { completeGreedily, promptTokens, sampleGroup } from './rollout.ts';
import { countVerdict, noVerdicts, verdictCountsSchema, type Verdict } from './verdict.ts';

/** One validation, as it is kept beside the run. */
export const validationSchema = z.object({
  step: z.int().nonnegative(),
  /** By judge, in the order of the items: mean of its completions' verdicts, null where all were lost. */
  scores: z.partialRecord(z.enum(JUDGE_KINDS), z.array(z.number().nullable())),
  verdicts: z.partialRecord(z.enum(JUDGE_KINDS), verdictCountsSchema),
  /** Characters of the completions, all items'. */
  lengths: z.array(z.int()),
});
export type Validation = z.infer<typeof validationSchema>;

/** Completes and judges every item. What is drawn is the same at every step, so that steps differ by their adapter. */
export async function validate(
  items: readonly JudgeItem[],
  step: number,
  { engine, judges, config }: { engine: Engine; judges: readonly Judge[]; config: JudgeConfig },
  onItem: () => void,
): Promise<Validation> {
  const lengths: number[] = [];
  const verdicts = new Map(judges.map((judge) => [judge, [] as Promise<Verdict[]>[]]));
  for (const [index, item] of items.entries()) {
    const texts = await complete(engine, item, index, config);
    lengths.push(...texts.map((text) => text.length));
    for (const judge of judges) {
      const own = Promise.all(texts.map((text) => judge.judge(item, text)));
      // Awaited below; a refusal meanwhile is not unhandled.
      own.catch(() => {});
      verdicts.get(judge)!.push(own);
    }
    onItem();
  }
  const result: Validation = { step, scores: {}, verdicts: {}, lengths };
  for (const judge of judges) {
    const own = await Promise.all(verdicts.get(judge)!);
    const counts = noVerdicts();
    for (const verdict of own.flat()) countVerdict(counts, verdict);
    result.verdicts[judge.kind] = counts;
    result.scores[judge.kind] = own.map((ofItem) => {
      const scores = ofItem.flatMap((verdict) => ('score' in verdict ? [verdict.score] : []));
      return scores.length === 0 ? null : meanScore(scores);
    });
  }
  return result;
}

async function complete(
  engine: Engine,
  item: JudgeItem,
  index: number,
  config: JudgeConfig,
): Promise<string[]> {
  const prompt = promptTokens(engine, item, config);
  const { validationSamples } = config.rollout;
  if (validationSamples === 0) return [await completeGreedily(engine, prompt, config)];
  const group = await sampleGroup(engine, prompt, `validation ${index}`, validationSamples, config);
  return group.map(({ text }) => text);
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
