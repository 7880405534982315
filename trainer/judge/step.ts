/** One step's material: groups of completions, judged, as samples for the learner. */
import * as z from 'zod';
import type { Sample } from '../../extension/common/contracts/index.ts';
import type { Engine } from '../inference/types.ts';
import type { JudgeConfig } from './config.ts';
import type { JudgeItem } from './dataset.ts';
import { groupAdvantages } from './group.ts';
import type { Judge } from './judge.ts';
import { promptTokens, sampleGroup, type Rollout } from './rollout.ts';
import { countVerdict, type Verdict, type VerdictCounts } from './verdict.ts';

/** What became of the groups. */
export const groupCountsSchema = z.object({
  /** All that were sampled. */
  sampled: z.int().nonnegative(),
  /** Of them, with equal rewards: nothing to tell apart. */
  zeroVariance: z.int().nonnegative(),
  /** Of them, with fewer than two verdicts left. */
  tooFewVerdicts: z.int().nonnegative(),
});
export type GroupCounts = z.infer<typeof groupCountsSchema>;

export function noGroups(): GroupCounts {
  return { sampled: 0, zeroVariance: 0, tooFewVerdicts: 0 };
}

export interface StepMaterial {
  samples: Sample[];
  groups: GroupCounts;
  /** Of the completions with a verdict, and their number. */
  rewardSum: number;
  rewarded: number;
  /** Generated tokens, of all completions. */
  tokens: number;
  completions: number;
}

/**
 * Samples a group of completions of each item and has them judged; the judge works while the next group is sampled. A
 * completion without a verdict leaves its group.
 *
 * @param step decides, with the seed, what is drawn
 * @param counts the verdicts are added to it
 */
export async function prepareStep(
  items: readonly JudgeItem[],
  step: number,
  { engine, judge, config }: { engine: Engine; judge: Judge; config: JudgeConfig },
  counts: VerdictCounts,
  onItem: () => void,
): Promise<StepMaterial> {
  const material: StepMaterial = {
    samples: [],
    groups: noGroups(),
    rewardSum: 0,
    rewarded: 0,
    tokens: 0,
    completions: 0,
  };
  const groups: { prompt: number[]; group: Rollout[]; verdicts: Promise<Verdict[]> }[] = [];
  for (const [index, item] of items.entries()) {
    const prompt = promptTokens(engine, item, config);
    const group = await sampleGroup(engine, prompt, `${step} ${index}`, config.rollout.groupSize, config);
    const verdicts = Promise.all(group.map(({ text }) => judge.judge(item, text)));
    // Awaited below; a refusal meanwhile is not unhandled.
    verdicts.catch(() => {});
    groups.push({ prompt, group, verdicts });
    onItem();
  }
  for (const [index, { prompt, group, verdicts }] of groups.entries()) {
    const judged = await verdicts;
    for (const verdict of judged) countVerdict(counts, verdict);
    addGroup(material, { eventId: `${step}:${index}`, prompt }, group, judged);
  }
  return material;
}

function addGroup(
  material: StepMaterial,
  sample: Pick<Sample, 'eventId' | 'prompt'>,
  group: readonly Rollout[],
  verdicts: readonly Verdict[],
): void {
  const rewarded = group.flatMap((rollout, i) => {
    const verdict = verdicts[i]!;
    return 'score' in verdict ? [{ rollout, reward: verdict.score }] : [];
  });
  material.completions += group.length;
  material.tokens += group.reduce((sum, { sampled }) => sum + sampled.tokens.length, 0);
  material.rewarded += rewarded.length;
  material.rewardSum += rewarded.reduce((sum, { reward }) => sum + reward, 0);
  material.groups.sampled++;
  const advantages = groupAdvantages(rewarded.map(({ reward }) => reward));
  if (advantages === null) {
    if (rewarded.length < 2) material.groups.tooFewVerdicts++;
    else material.groups.zeroVariance++;
    return;
  }
  const policies = rewarded.map(({ rollout }, i) => ({ ...rollout.sampled, advantage: advantages[i]! }));
  material.samples.push({ ...sample, group: policies });
}
