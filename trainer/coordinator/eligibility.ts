import { TYPED_THROUGH_SHARE } from '../../extension/common/outcome/verdict.ts';
import { rewardOf, type RewardedOutcome } from '../../extension/common/reward/reward.ts';
import type { OutcomeFacts } from '../store/types.ts';
import type { TrainingSettings } from './settings.ts';

/** How long a correction is waited for: the editor tells it within 60 s, and its outbox needs a moment. */
export const CORRECTION_WAIT_MS = 75_000;
/** How long the two minutes' survival is waited for. */
export const RETENTION_WAIT_MS = 150_000;

/** A clock that is corrected by less than this was not set. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Why nothing can be learned from an outcome, as counted in the status. */
type DropReason = 'unknownCompletion' | 'nothingToLearn';

type Eligibility =
  { state: 'open'; settlesAt: number } | { state: 'ready' } | { state: 'drop'; reason: DropReason };

/** What a sample may be built from. */
interface Uses {
  policy: RewardedOutcome | null;
  supervised: 'correction' | 'accepted' | null;
}

type RuleSettings = Pick<TrainingSettings, 'acceptAtOnce' | 'acceptThreshold' | 'observedWeight'>;

/**
 * Whether an outcome is settled and anything can be learned from it.
 *
 * @param now Milliseconds since the epoch; null settles what is open at once.
 */
export function eligibilityOf(
  facts: OutcomeFacts,
  modelHash: string,
  settings: RuleSettings,
  now: number | null,
): Eligibility {
  if (facts.completion === null) return { state: 'drop', reason: 'unknownCompletion' };
  const settlesAt = settlementOf(facts, settings);
  // An outcome of the future: the clock was set back. How long it has waited is unknown, so it waits no longer.
  const isTimed = now !== null && now > facts.receivedAt - CLOCK_TOLERANCE_MS;
  if (isTimed && now < settlesAt) return { state: 'open', settlesAt };
  const uses = usesOf(facts, modelHash, settings);
  if (uses.policy === null && uses.supervised === null) return { state: 'drop', reason: 'nothingToLearn' };
  return { state: 'ready' };
}

/** Which terms the settled facts allow: policy gradient on the recorded tokens, supervision by what was typed. */
export function usesOf(facts: OutcomeFacts, modelHash: string, settings: RuleSettings): Uses {
  return { policy: policyUse(facts, modelHash, settings), supervised: supervisedUse(facts) };
}

/** Whether the whole suggestion ended in the document: accepted, or typed through but for a rest. */
export function isTakenWhole(facts: OutcomeFacts): boolean {
  const { outcome, shownText } = facts;
  if (outcome.kind === 'accepted') return true;
  return outcome.kind === 'typedThrough' && outcome.chars >= TYPED_THROUGH_SHARE * shownText.length;
}

/** When the facts that the reward needs are complete or no longer waited for; 0 when they are now. */
function settlementOf(facts: OutcomeFacts, settings: RuleSettings): number {
  if (facts.origin === 'flat') return 0;
  if (isTakenWhole(facts))
    return facts.retention?.settled || settings.acceptAtOnce ? 0 : facts.receivedAt + RETENTION_WAIT_MS;
  return facts.correction !== null ? 0 : facts.receivedAt + CORRECTION_WAIT_MS;
}

function policyUse(facts: OutcomeFacts, modelHash: string, settings: RuleSettings): RewardedOutcome | null {
  const { completion } = facts;
  if (completion === null || completion.source !== 'served' || completion.modelHash !== modelHash)
    return null;
  if (completion.generatedCount === 0) return null;
  const { temperature, topP, topK, repetitionPenalty } = completion.sampling;
  // Truncated or greedy sampling has no probability of what was drawn, hence no ratio.
  if (temperature <= 0 || topP !== 1 || topK !== 0 || repetitionPenalty !== 1) return null;
  return rewardOf(
    {
      outcome: facts.outcome,
      evidence: facts.evidence,
      shownChars: facts.shownText.length,
      shownMs: facts.shownMs,
      retained: facts.retention?.fraction ?? null,
    },
    settings,
  );
}

function supervisedUse(facts: OutcomeFacts): Uses['supervised'] {
  if (facts.correction !== null && facts.correction.typed !== null) return 'correction';
  if (isTakenWhole(facts)) return facts.retention?.fraction === 0 ? null : 'accepted';
  return facts.outcome.kind === 'partiallyAccepted' || facts.outcome.kind === 'typedThrough'
    ? 'accepted'
    : null;
}
