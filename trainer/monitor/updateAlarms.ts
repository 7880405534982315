/**
 * Mean difference of a token's log-probability, at the temperature it was sampled at, between the engine that serves
 * and the learner, nats; the embedded model has 0.05 at 0.3.
 */
const MAX_ENGINE_DIFFERENCE = 0.15;
/** Part of the policy samples that still counts, below which the gradient is that of a few. */
const MIN_EFFECTIVE_SHARE = 0.5;
/** Policy samples from which that part says anything. */
const MIN_POLICY_SAMPLES = 4;

interface UpdateAlarms {
  /** By tag, 0 or 1. */
  figures: Record<string, number>;
  /** A sentence for each that is raised. */
  messages: string[];
}

/**
 * Whether an update's policy gradient is to be trusted: two engines that disagree about what was sampled, or samples
 * so far from the policy that few of them count.
 *
 * @param figures of the update, by tag
 */
export function updateAlarms(figures: Readonly<Record<string, number>>): UpdateAlarms {
  const difference = figures['rollout/engine_logprob_diff'] ?? 0;
  const share = figures['rollout/effective_sample_share'] ?? 1;
  const samples = figures['rollout/policy_samples'] ?? 0;
  const mismatch = difference > MAX_ENGINE_DIFFERENCE;
  const few = samples >= MIN_POLICY_SAMPLES && share < MIN_EFFECTIVE_SHARE;
  const messages: string[] = [];
  if (mismatch)
    messages.push(
      `Serving and training differ by ${difference.toFixed(3)} nats a token (limit ${MAX_ENGINE_DIFFERENCE}).`,
    );
  if (few)
    messages.push(
      `Only ${(100 * share).toFixed(0)} % of ${samples} policy samples count: the policy is far from what served them.`,
    );
  return {
    figures: { 'alarm/engineMismatch': mismatch ? 1 : 0, 'alarm/fewEffectiveSamples': few ? 1 : 0 },
    messages,
  };
}
