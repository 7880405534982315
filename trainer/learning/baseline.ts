/** Rewards that the running mean behaves as having seen before the first one. */
const PRIOR_COUNT = 8;
/** Weight of the newest reward once many were seen; 0.02 forgets half in about 35 events. */
const MIN_STEP = 0.02;

/** What a reward is compared with. */
export const BASELINES = ['acceptance', 'mean', 'none'] as const;
type Baseline = (typeof BASELINES)[number];

/** Running mean of rewards, the baseline of the policy gradient. Plain data: it is stored as JSON. */
export interface RunningMean {
  mean: number;
  count: number;
  /** The rule that gave the rewards; of another rule's rewards the mean says nothing. */
  rule: string;
}

/** The mean of rewards in their order. */
export function meanOfRewards(rewards: number[], rule: string): RunningMean {
  return rewards.reduce(updateMean, { mean: 0, count: 0, rule });
}

/** The mean after one more reward: a plain average at first, exponential forgetting later. */
function updateMean(state: RunningMean, reward: number): RunningMean {
  const count = state.count + 1;
  const step = Math.max(MIN_STEP, 1 / (count + PRIOR_COUNT));
  return { ...state, mean: state.mean + step * (reward - state.mean), count };
}

/** A reward, and the chance of acceptance as it was predicted before the suggestion was made; null: it wasn't. */
interface RewardedSample {
  reward: number;
  before: number | null;
}

/**
 * Baselines of a batch, and the running mean after it: no reward is part of its own. Where the chance of acceptance
 * was predicted before anything was generated, what showing is expected to earn, chance − p*, is a baseline of the
 * place, for silence too: ending at once is praised just where a suggestion would hardly be taken.
 */
export function baselinesOf(
  samples: readonly RewardedSample[],
  state: RunningMean,
  { baseline, acceptThreshold }: { baseline: Baseline; acceptThreshold: number },
): { baselines: number[]; next: RunningMean } {
  const baselineOf = ({ before }: RewardedSample): number => {
    if (baseline === 'none') return 0;
    return baseline === 'mean' || before === null ? state.mean : before - acceptThreshold;
  };
  return {
    baselines: samples.map(baselineOf),
    next: samples.map(({ reward }) => reward).reduce(updateMean, state),
  };
}
