import type { Prior } from './priors.ts';

/** Weights of a logistic regression, and how sure they are: a normal distribution. */
export interface Predictor {
  /** [n] */
  weights: Float64Array;
  /** Covariance of the weights. [n·n] */
  covariance: Float64Array;
}

/** The predictor that knows nothing of the developer yet. */
export function priorPredictor(priors: Record<string, Prior>): Predictor {
  const all = Object.values(priors);
  const covariance = new Float64Array(all.length ** 2);
  all.forEach(({ deviation }, i) => (covariance[i * all.length + i] = deviation ** 2));
  return { weights: Float64Array.from(all, ({ weight }) => weight), covariance };
}

/**
 * Chance of acceptance, 0..1: the mean over what the weights may be, which is nearer to a half the less is known of
 * them (the moderated output of MacKay 1992, "The evidence framework applied to classification networks").
 *
 * @param features [n], in the order of the weights
 */
export function chanceOf({ weights, covariance }: Predictor, features: readonly number[]): number {
  const variance = dot(features, times(covariance, features));
  return logistic(dot(weights, features) / Math.sqrt(1 + (Math.PI * variance) / 8));
}

/**
 * Online Bayesian logistic regression: the normal distribution over the weights after one more label, by one Newton
 * step from its mean (Spiegelhalter and Lauritzen 1990, "Sequential updating of conditional probabilities on directed
 * graphical structures"). Labels that are learned one after the other give, nearly, what all at once
 * would. Costs n² additions.
 *
 * @param label what it was worth, 0..1
 * @param weight of the label; 0 changes nothing
 */
export function learnLabel(
  predictor: Predictor,
  features: readonly number[],
  label: number,
  weight: number,
): Predictor {
  const chance = logistic(dot(predictor.weights, features));
  const information = weight * chance * (1 - chance);
  const direction = times(predictor.covariance, features);
  const gain = information / (1 + information * dot(features, direction));
  const n = features.length;
  const covariance = predictor.covariance.slice();
  for (let i = 0; i < n; i++) {
    const factor = gain * direction[i]!;
    for (let j = 0; j < n; j++) covariance[i * n + j]! -= factor * direction[j]!;
  }
  const step = times(covariance, features);
  const error = weight * (label - chance);
  return {
    weights: predictor.weights.map((value, i) => value + error * step[i]!),
    covariance,
  };
}

function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** A matrix [n·n] times a vector [n]. */
function times(matrix: Float64Array, vector: readonly number[]): Float64Array {
  const n = vector.length;
  const product = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += matrix[i * n + j]! * vector[j]!;
    product[i] = sum;
  }
  return product;
}
