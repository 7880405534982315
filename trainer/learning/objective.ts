/**
 * Losses on log-probabilities. Each function returns the loss it would add and, for every token, the derivative
 * d loss / d log p: the network turns those into gradients of the adapter.
 */

/** Largest log-ratio that enters an exponential: e⁵ ≈ 148. Beyond it the estimate is no longer of any use. */
const MAX_LOG_RATIO = 5;
/**
 * Largest importance weight of a token that is blamed: PPO's clip bounds the ratio from above only for praise. The
 * weight is truncated and goes on pushing, as in truncated importance sampling (Ionides 2008).
 */
const MAX_BLAME_WEIGHT = 2;

/** How a sampled completion is praised or blamed. */
export type PolicyObjective = 'ppo' | 'tapered';

interface PolicyTerm {
  /** log π(token) under the policy in training, at the sampling temperature. [n] */
  logprobs: ArrayLike<number>;
  /** The same under the adapter that sampled the tokens. [n] */
  behaviour: ArrayLike<number>;
  /** Tokens from the first that carry the reward. */
  rewarded: number;
  /** reward − baseline. */
  advantage: number;
  /** Of PPO. */
  clipLow: number;
  clipHigh: number;
}

interface PolicyLoss {
  /** Sum over the rewarded tokens. */
  loss: number;
  derivatives: Float32Array;
  /** Tokens whose ratio is clipped. */
  clipped: number;
  /** Tokens whose weight is truncated. */
  truncated: number;
  /** Σ_t of Schulman's k3 estimate of KL(behaviour ‖ policy), nats. */
  approximateKl: number;
  /** Σ_t log ratio: the logarithm of the sequence's importance weight. */
  logWeight: number;
  /** −Σ_t log π(token): on tokens that the policy would draw itself, its entropy. */
  surprise: number;
}

/** The loss of one sampled completion under an objective. */
export function policyLoss(objective: PolicyObjective, term: PolicyTerm): PolicyLoss {
  const push = objective === 'ppo' ? clippedPush(term) : taperedPush(term);
  return { ...push, ...movement(term) };
}

type Push = Pick<PolicyLoss, 'loss' | 'derivatives' | 'clipped' | 'truncated'>;

/**
 * PPO's clipped surrogate per token, −Σ_t min(ρ A, clip(ρ) A) (Schulman et al. 2017, arXiv 1707.06347, equation 7),
 * with separate bounds above and below. A clipped token has no derivative; another one −A·min(ρ, c), with the
 * truncation c for blame.
 */
function clippedPush(term: PolicyTerm): Push {
  const { advantage, clipLow, clipHigh } = term;
  const push: Push = {
    loss: 0,
    derivatives: new Float32Array(term.logprobs.length),
    clipped: 0,
    truncated: 0,
  };
  for (const [t, logRatio] of logRatios(term).entries()) {
    const ratio = Math.exp(logRatio);
    const bounded = Math.min(1 + clipHigh, Math.max(1 - clipLow, ratio));
    const weight = advantage < 0 ? Math.min(MAX_BLAME_WEIGHT, ratio) : ratio;
    push.loss -= Math.min(weight * advantage, bounded * advantage);
    if (weight < ratio) push.truncated++;
    if (bounded * advantage < weight * advantage) push.clipped++;
    else push.derivatives[t] = -advantage * weight;
  }
  return push;
}

/**
 * Tapered off-policy REINFORCE (Le Roux et al. 2025, arXiv 2503.14286): praise has the weight 1, whatever the policy
 * has become; blame has the sequence's importance weight π/μ, truncated to 0 … 1, so that it fades where the policy
 * has left what is blamed. The loss of blame is A·w below the truncation and its tangent above, whose derivative the
 * weight is.
 */
function taperedPush(term: PolicyTerm): Push {
  const { advantage, logprobs } = term;
  const ratios = logRatios(term);
  const derivatives = new Float32Array(logprobs.length);
  const logWeight = ratios.reduce((sum, logRatio) => sum + logRatio, 0);
  const isBlame = advantage < 0;
  const weight = isBlame ? Math.min(1, Math.exp(logWeight)) : 1;
  derivatives.fill(-advantage * weight, 0, ratios.length);
  const rise = !isBlame || logWeight > 0 ? logWeight : weight - 1;
  return {
    loss: -advantage * rise,
    derivatives,
    clipped: 0,
    truncated: isBlame && logWeight > 0 ? ratios.length : 0,
  };
}

/** How far the policy has moved from the one that sampled. */
function movement(term: PolicyTerm): Omit<PolicyLoss, keyof Push> {
  let approximateKl = 0;
  let logWeight = 0;
  let surprise = 0;
  for (const [t, logRatio] of logRatios(term).entries()) {
    approximateKl += Math.exp(logRatio) - 1 - logRatio;
    logWeight += term.logprobs[t]! - term.behaviour[t]!;
    surprise -= term.logprobs[t]!;
  }
  return { approximateKl, logWeight, surprise };
}

/** log ρ of the rewarded tokens, bounded above. */
function logRatios({ logprobs, behaviour, rewarded }: PolicyTerm): number[] {
  const count = Math.min(rewarded, logprobs.length);
  return Array.from({ length: count }, (_, t) => Math.min(MAX_LOG_RATIO, logprobs[t]! - behaviour[t]!));
}

/**
 * Effective sample size over the number of samples, (Σw)² / (n Σw²) (Kish 1965), from the logarithms of the
 * importance weights: 1 when all count the same, 1 / n when one drowns the others, 0 for none.
 */
export function effectiveSampleShare(logWeights: readonly number[]): number {
  if (logWeights.length === 0) return 0;
  const largest = Math.max(...logWeights);
  const weights = logWeights.map((logWeight) => Math.exp(logWeight - largest));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return sum ** 2 / (weights.length * weights.reduce((total, weight) => total + weight ** 2, 0));
}

/**
 * k3 estimate of KL(policy ‖ base) on the policy's own samples, Σ_t (e^d − d − 1) with d = log p_base − log p
 * (Schulman, "Approximating KL divergence", 2020), at temperature 1.
 */
export function baseKlLoss(
  logprobs: ArrayLike<number>,
  base: ArrayLike<number>,
): { loss: number; derivatives: Float32Array } {
  const derivatives = new Float32Array(logprobs.length);
  let loss = 0;
  for (let t = 0; t < derivatives.length; t++) {
    const difference = Math.min(MAX_LOG_RATIO, base[t]! - logprobs[t]!);
    const ratio = Math.exp(difference);
    loss += ratio - difference - 1;
    derivatives[t] = 1 - ratio;
  }
  return { loss, derivatives };
}

/** Cross-entropy −Σ_t log p(token). */
export function crossEntropy(logprobs: ArrayLike<number>): { loss: number; derivatives: Float32Array } {
  let loss = 0;
  for (let t = 0; t < logprobs.length; t++) loss -= logprobs[t]!;
  return { loss, derivatives: new Float32Array(logprobs.length).fill(-1) };
}
