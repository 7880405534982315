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

interface PolicyTerm {
  /** log π(token) under the policy in training, at the sampling temperature. [n] */
  logprobs: ArrayLike<number>;
  /** The same under the adapter that sampled the tokens. [n] */
  behaviour: ArrayLike<number>;
  /** Tokens from the first that carry the reward. */
  rewarded: number;
  /** reward − baseline. */
  advantage: number;
  clipLow: number;
  clipHigh: number;
}

interface PolicyLoss {
  /** −Σ_t min(ρ A, clip(ρ) A) over the rewarded tokens. */
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

/**
 * PPO's clipped surrogate per token (Schulman et al. 2017, arXiv 1707.06347, equation 7), with separate bounds
 * above and below. A clipped token has no derivative; another one −A·min(ρ, c), with the truncation c for blame.
 */
export function policyLoss(term: PolicyTerm): PolicyLoss {
  const derivatives = new Float32Array(term.logprobs.length);
  const { advantage } = term;
  let loss = 0;
  let clipped = 0;
  let truncated = 0;
  let approximateKl = 0;
  let logWeight = 0;
  let surprise = 0;
  for (let t = 0; t < Math.min(term.rewarded, derivatives.length); t++) {
    const logRatio = Math.min(MAX_LOG_RATIO, term.logprobs[t]! - term.behaviour[t]!);
    const ratio = Math.exp(logRatio);
    const bounded = Math.min(1 + term.clipHigh, Math.max(1 - term.clipLow, ratio));
    const weight = advantage < 0 ? Math.min(MAX_BLAME_WEIGHT, ratio) : ratio;
    loss -= Math.min(weight * advantage, bounded * advantage);
    approximateKl += ratio - 1 - logRatio;
    logWeight += term.logprobs[t]! - term.behaviour[t]!;
    surprise -= term.logprobs[t]!;
    if (weight < ratio) truncated++;
    const isClipped = bounded * advantage < weight * advantage;
    if (isClipped) clipped++;
    else derivatives[t] = -advantage * weight;
  }
  return { loss, derivatives, clipped, truncated, approximateKl, logWeight, surprise };
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
