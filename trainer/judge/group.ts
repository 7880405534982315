/** The advantage within a group of completions of one prompt. */

/** Rewards nearer together than this are equal: their order is the rounding's. */
const SMALLEST_DEVIATION = 1e-6;

/**
 * Group-relative advantages (Shao et al. 2024, DeepSeekMath, arXiv 2402.03300, section 4.1.2): each reward less the
 * group's mean, over the group's standard deviation.
 *
 * @returns null for a group that teaches nothing: of fewer than two rewards, or of equal ones.
 */
export function groupAdvantages(rewards: readonly number[]): number[] | null {
  if (rewards.length < 2) return null;
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  const deviation = Math.sqrt(
    rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / rewards.length,
  );
  return deviation < SMALLEST_DEVIATION ? null : rewards.map((reward) => (reward - mean) / deviation);
}
