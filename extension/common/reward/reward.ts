import type { Evidence, Outcome } from '../contracts/index.ts';
import { DISPLAY_MIN_MS, TYPED_THROUGH_SHARE } from '../outcome/verdict.ts';

/** Chance of acceptance from which a suggestion is worth showing; the user's "aggressiveness". */
export const DEFAULT_ACCEPT_THRESHOLD = 0.25;
/** Weight of a rejection that was only observed through the stable API. */
export const DEFAULT_OBSERVED_WEIGHT = 0.5;
/** Accepted, but less than this fraction survived: as rejected. */
const MIN_RETAINED_FRACTION = 0.5;

/** The stored facts of one completion from which its reward is computed. */
export interface RewardFacts {
  outcome: Outcome;
  evidence: Evidence;
  /** UTF-16 length of the shown text. */
  shownChars: number;
  shownMs: number;
  /** Fraction of the accepted text that survived two minutes; null: unknown. */
  retained: number | null;
}

interface RewardOptions {
  /** p*, 0..1. */
  acceptThreshold: number;
  observedWeight: number;
}

/** A reward and the weight of its sample, or null for what is no policy sample. */
export interface RewardedOutcome {
  /** −p* .. 1 − p*. */
  reward: number;
  weight: number;
}

const DEFAULT_OPTIONS: RewardOptions = {
  acceptThreshold: DEFAULT_ACCEPT_THRESHOLD,
  observedWeight: DEFAULT_OBSERVED_WEIGHT,
};

/**
 * Reward of one settled completion: accepted earns 1 − p*, rejected −p*, silence 0, so that showing pays
 * exactly when the chance of acceptance is above p*.
 *
 * @returns null when the outcome says nothing about the policy (ignored, suppressed, display not known).
 */
export function rewardOf(
  facts: RewardFacts,
  options: RewardOptions = DEFAULT_OPTIONS,
): RewardedOutcome | null {
  const { outcome } = facts;
  const accepted = 1 - options.acceptThreshold;
  const rejected = -options.acceptThreshold;
  switch (outcome.kind) {
    case 'ignored':
    case 'suppressed':
      return null;
    case 'silent':
      return { reward: 0, weight: 1 };
    case 'accepted':
      return { reward: keptReward(accepted, rejected, facts.retained), weight: 1 };
    case 'typedThrough':
    case 'partiallyAccepted': {
      const fraction = facts.shownChars === 0 ? 0 : Math.min(1, outcome.chars / facts.shownChars);
      if (outcome.kind === 'typedThrough' && fraction >= TYPED_THROUGH_SHARE)
        return { reward: keptReward(accepted, rejected, facts.retained), weight: 1 };
      return { reward: fraction * accepted + (1 - fraction) * rejected, weight: 1 };
    }
    case 'rejected':
      return rejection(facts, rejected, options);
  }
}

function keptReward(accepted: number, rejected: number, retained: number | null): number {
  const fraction = retained ?? 1;
  return fraction < MIN_RETAINED_FRACTION ? rejected : accepted * fraction;
}

function rejection(facts: RewardFacts, reward: number, options: RewardOptions): RewardedOutcome | null {
  if (facts.evidence === 'inferred') return null;
  // The editor's own event and our own command say that the suggestion was on display, however briefly.
  if (facts.evidence === 'observed' && facts.shownMs < DISPLAY_MIN_MS) return null;
  return { reward, weight: facts.evidence === 'observed' ? options.observedWeight : 1 };
}
