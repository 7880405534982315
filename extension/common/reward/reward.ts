import type { Evidence, Outcome } from '../contracts/index.ts';
import { DISPLAY_MIN_MS, TYPED_THROUGH_SHARE } from '../outcome/verdict.ts';

/** Of the rules below; recorded with every run. Rewards are computed anew from the stored facts when a rule changes. */
export const REWARD_RULE_VERSION = 2;
/** Chance of acceptance from which a suggestion is worth showing; the user's "aggressiveness". */
export const DEFAULT_ACCEPT_THRESHOLD = 0.25;
/** Weight of what was judged without a key of ours, known through the stable API only. */
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
  /** Fraction of the accepted text that was there when last looked at; null: unknown, counted as all of it. */
  retained: number | null;
}

interface RewardOptions {
  /** p*, 0..1. */
  acceptThreshold: number;
  observedWeight: number;
}

/** A reward and the weight of its sample. */
export interface RewardedOutcome {
  /** −p* .. 1 − p*. */
  reward: number;
  weight: number;
}

type Rule<Kind extends Outcome['kind']> = (
  facts: RewardFacts & { outcome: Extract<Outcome, { kind: Kind }> },
  options: RewardOptions,
) => RewardedOutcome | null;

const DEFAULT_OPTIONS: RewardOptions = {
  acceptThreshold: DEFAULT_ACCEPT_THRESHOLD,
  observedWeight: DEFAULT_OBSERVED_WEIGHT,
};

/** One rule an outcome. Null: it says nothing about the policy. */
const RULES: { [Kind in Outcome['kind']]: Rule<Kind> } = {
  accepted: ({ retained }, options) => ({ reward: keptReward(retained, options), weight: 1 }),
  partiallyAccepted: ({ outcome, shownChars, retained }, options) => ({
    reward: partReward(shareOf(outcome.chars, shownChars), retained, options),
    weight: 1,
  }),
  typedThrough: ({ outcome, shownChars, retained, evidence }, options) => {
    const share = shareOf(outcome.chars, shownChars);
    // What was typed is right whether or not it was read; that the rest was refused is known only of what was seen.
    if (share >= TYPED_THROUGH_SHARE) return { reward: keptReward(retained, options), weight: 1 };
    if (evidence === 'inferred') return null;
    // What was typed in part is the developer's own text: its survival isn't followed.
    return { reward: partReward(share, null, options), weight: weightOf(evidence, options) };
  },
  rejected: ({ evidence, shownMs }, options) => {
    if (evidence === 'inferred') return null;
    // The editor's own event and our own command say that the suggestion was on display, however briefly.
    if (evidence === 'observed' && shownMs < DISPLAY_MIN_MS) return null;
    return { reward: -options.acceptThreshold, weight: weightOf(evidence, options) };
  },
  ignored: () => null,
  suppressed: () => null,
  // Ending at once is an action: better than what is rejected, worse than what is accepted.
  silent: () => ({ reward: 0, weight: 1 }),
};

/**
 * Reward of one settled completion: accepted earns 1 − p*, rejected −p*, silence 0, so that showing pays exactly when
 * the chance of acceptance is above p*.
 *
 * @returns null when the outcome says nothing about the policy (ignored, suppressed, display not known).
 */
export function rewardOf(
  facts: RewardFacts,
  options: RewardOptions = DEFAULT_OPTIONS,
): RewardedOutcome | null {
  const rule = RULES[facts.outcome.kind] as Rule<Outcome['kind']>;
  return rule(facts, options);
}

/** Taken whole: the more of it stays, the better; mostly reverted is worse than never shown. */
function keptReward(retained: number | null, { acceptThreshold }: RewardOptions): number {
  const fraction = retained ?? 1;
  return fraction < MIN_RETAINED_FRACTION ? -acceptThreshold : (1 - acceptThreshold) * fraction;
}

/** Taken in part: the part that stays counts as accepted, the rest as rejected. */
function partReward(share: number, retained: number | null, { acceptThreshold }: RewardOptions): number {
  const fraction = retained ?? 1;
  const kept = fraction < MIN_RETAINED_FRACTION ? 0 : share * fraction;
  return kept * (1 - acceptThreshold) - (1 - kept) * acceptThreshold;
}

function shareOf(chars: number, shownChars: number): number {
  return shownChars === 0 ? 0 : Math.min(1, chars / shownChars);
}

function weightOf(evidence: Evidence, { observedWeight }: RewardOptions): number {
  return evidence === 'observed' ? observedWeight : 1;
}
