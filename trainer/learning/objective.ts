/**
 * Losses on log-probabilities. Each function returns the loss it would add and, for every token, the derivative
 * d loss / d log p: the network turns those into gradients of the adapter.
 */

/** Largest log-ratio that enters an exponential: e⁵ ≈ 148. Beyond it the estimate is no longer of any use. */
const MAX_LOG_RATIO = 5;

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
  /** Σ_t of Schulman's k3 estimate of KL(behaviour ‖ policy), nats. */
  approximateKl: number;
}

/**
 * PPO's clipped surrogate per token (Schulman et al. 2017, arXiv 1707.06347, equation 7), with separate bounds
 * above and below. A clipped token has no derivative; an unclipped one −A·ρ.
 */
export function policyLoss(term: PolicyTerm): PolicyLoss {
  const derivatives = new Float32Array(term.logprobs.length);
  const { advantage } = term;
  let loss = 0;
  let clipped = 0;
  let approximateKl = 0;
  for (let t = 0; t < Math.min(term.rewarded, derivatives.length); t++) {
    const logRatio = Math.min(MAX_LOG_RATIO, term.logprobs[t]! - term.behaviour[t]!);
    const ratio = Math.exp(logRatio);
    const bounded = Math.min(1 + term.clipHigh, Math.max(1 - term.clipLow, ratio));
    loss -= Math.min(ratio * advantage, bounded * advantage);
    approximateKl += ratio - 1 - logRatio;
    const isClipped = bounded * advantage < ratio * advantage;
    if (isClipped) clipped++;
    else derivatives[t] = -advantage * ratio;
  }
  return { loss, derivatives, clipped, approximateKl };
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
