import { episodeOf, episodeReward, type EpisodeSuggestion } from '../../extension/common/reward/episode.ts';
import type { Store } from '../store/store.ts';
import type { DocumentOutcome, TrainingFacts } from '../store/types.ts';
import { isTakenWhole } from './eligibility.ts';
import type { TrainingSettings } from './settings.ts';

/** Longest time before and after a suggestion in which its episode is looked for. */
const WINDOW_MS = 10 * 60_000;

/**
 * The reward of a suggestion with that of its editing episode, as far as the episode is known by now. Held-out
 * suggestions don't count: nothing that is trained may depend on them.
 */
export function rewardInEpisode(
  store: Store,
  { facts, completion }: TrainingFacts,
  own: number,
  settings: TrainingSettings,
): number {
  if (settings.episodeWeight === 0) return own;
  const around = store.facts
    .inDocument(completion, completion.createdAt - WINDOW_MS, completion.createdAt + WINDOW_MS)
    .filter((other) => !other.facts.heldOut);
  const index = around.findIndex((other) => other.facts.eventId === facts.eventId);
  return index < 0 ? own : episodeReward(own, episodeOf(around.map(suggestionOf), index), settings);
}

function suggestionOf({ facts, at, offset }: DocumentOutcome): EpisodeSuggestion {
  const { outcome, shownText, retention } = facts;
  const kept = retention?.fraction ?? 1;
  switch (outcome.kind) {
    case 'ignored':
    case 'suppressed':
    case 'silent':
      return { at, offset, shownChars: 0, keptChars: 0 };
    case 'accepted':
      return { at, offset, shownChars: shownText.length, keptChars: kept * shownText.length };
    case 'rejected':
      return { at, offset, shownChars: shownText.length, keptChars: 0 };
    case 'partiallyAccepted':
    case 'typedThrough': {
      const taken = isTakenWhole(facts) ? shownText.length : Math.min(outcome.chars, shownText.length);
      return { at, offset, shownChars: shownText.length, keptChars: kept * taken };
    }
  }
}
