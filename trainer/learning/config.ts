import type { UpdateConfig } from '../../extension/common/contracts/index.ts';

/** Hyperparameters whose default doesn't depend on the model. docs/learning.md has the measurements behind them. */
export const UPDATE_DEFAULTS = {
  rank: 8,
  alpha: 16,
  servedShare: 0.5,
  servedShares: [0.5, 1],
  targets: ['q', 'k', 'v', 'o', 'gate', 'up', 'down'],
  learningRate: 1e-3,
  decaySteps: 16,
  beta1: 0.9,
  beta2: 0.99,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: 1,
  epochs: 1,
  miniBatch: 4,
  correctionWeight: 1,
  acceptedWeight: 1,
  generalWeight: 1,
  contextWeight: 1,
  policyObjective: 'ppo',
  policyWeight: 0.02,
  klWeight: 0.05,
  clipLow: 0.2,
  clipHigh: 0.28,
  targetKl: 0.5,
  weightType: 'auto',
} satisfies Omit<UpdateConfig, 'firstLayer' | 'endLayer'>;

/** Defaults for a model with `layers` transformer blocks: rank 8, α 16, every linear layer of the top third. */
export function defaultUpdateConfig(layers: number): UpdateConfig {
  return { ...UPDATE_DEFAULTS, firstLayer: defaultFirstLayer(layers) };
}

/** First layer of the top third, 0-based. */
export function defaultFirstLayer(layers: number): number {
  return layers - Math.max(1, Math.round(layers / 3));
}
