/** Moments of one flat parameter vector. */
export interface AdamWState {
  step: number;
  /** First and second moments, [n] each. */
  m: Float32Array;
  v: Float32Array;
}

interface AdamWOptions {
  learningRate: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay: number;
}

/** The state before the first step: both moments zero, [parameters] each. */
export function initialAdamW(parameters: number): AdamWState {
  return { step: 0, m: new Float32Array(parameters), v: new Float32Array(parameters) };
}

/**
 * One step of AdamW (Loshchilov and Hutter 2019, arXiv 1711.05101, algorithm 2): decoupled weight decay, bias
 * correction. Pure: the arguments are not changed.
 */
export function adamWStep(
  parameters: Float32Array,
  gradients: Float32Array,
  state: AdamWState,
  options: AdamWOptions,
): { parameters: Float32Array; state: AdamWState } {
  const { learningRate, beta1, beta2, epsilon, weightDecay } = options;
  const next = { step: state.step + 1, m: state.m.slice(), v: state.v.slice() };
  const updated = parameters.slice();
  const correction1 = 1 - beta1 ** next.step;
  const correction2 = 1 - beta2 ** next.step;
  for (let i = 0; i < updated.length; i++) {
    const g = gradients[i]!;
    const m = (next.m[i] = beta1 * next.m[i]! + (1 - beta1) * g);
    const v = (next.v[i] = beta2 * next.v[i]! + (1 - beta2) * g * g);
    const direction = m / correction1 / (Math.sqrt(v / correction2) + epsilon);
    updated[i]! -= learningRate * (direction + weightDecay * updated[i]!);
  }
  return { parameters: updated, state: next };
}

/** Share of the learning rate below which it never falls, so that an old adapter still learns. */
const LEAST_RATE_SHARE = 0.2;

/**
 * The learning rate of the step after `steps` others: falling as 1 / √steps (Robbins and Monro 1951), because
 * Adam's steps keep their length however little of a small batch's gradient is signal.
 */
export function decayedRate(learningRate: number, steps: number, decaySteps: number): number {
  if (decaySteps === 0) return learningRate;
  return learningRate * Math.max(LEAST_RATE_SHARE, 1 / Math.sqrt(1 + steps / decaySteps));
}

/** Scales gradients in place so that their norm is at most `maxNorm`; returns the norm before. */
export function clipGradientNorm(gradients: Float32Array, maxNorm: number): number {
  let sum = 0;
  for (const g of gradients) sum += g * g;
  const norm = Math.sqrt(sum);
  if (norm > maxNorm) {
    const scale = maxNorm / norm;
    for (let i = 0; i < gradients.length; i++) gradients[i]! *= scale;
  }
  return norm;
}
