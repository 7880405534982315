import { rewardOf, type RewardFacts } from '../reward/reward.ts';

/** What a suggestion was worth, for the predictor. */
export interface DisplayLabel {
  /** 0 rejected .. 1 accepted and kept; the part that was taken between. */
  worth: number;
  weight: number;
}

/**
 * The label that an outcome gives. The reward is linear in it, so that a suggestion whose expected worth is p* earns
 * nothing on average: reward = worth − p*.
 *
 * @returns null: nobody judged it.
 */
export function labelOf(
  facts: RewardFacts,
  options: { acceptThreshold: number; observedWeight: number },
): DisplayLabel | null {
  if (facts.outcome.kind === 'silent') return null;
  const rewarded = rewardOf(facts, options);
  return rewarded && { worth: rewarded.reward + options.acceptThreshold, weight: rewarded.weight };
}
