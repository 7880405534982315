import type { Score } from '../../extension/common/contracts/index.ts';
import { DEFAULT_GATE_LIMITS, pairedGain } from './gate.ts';

/** With fewer held-out events a standard error says nothing. */
const LEAST_EVENTS = 4;
/** Held-out events that are scored twice for the choice: an idiom shows on these, and each costs a pass. */
export const MOST_EVENTS = 16;

/**
 * Which part of what was trained is served. Adam's steps are of one length whatever part of a small batch's gradient
 * is noise; half way back to the base half of the signal is left and a quarter of the noise's harm (interpolation of
 * weights, Wortsman et al. 2022, arXiv 2109.01903). So a share is served, unless it is proven on the held-out events
 * that all of it is better, as after a house idiom that the developer keeps to.
 *
 * @param atShare scores of the held-out events under the share
 * @param atWhole of the same events under all that was trained
 */
export function servesWhole(atShare: Score[], atWhole: Score[]): boolean {
  if (atWhole.length < LEAST_EVENTS) return false;
  const { mean, standardError } = pairedGain(atShare, atWhole);
  return mean - DEFAULT_GATE_LIMITS.quantile * standardError > 0;
}
