import type { CompletionResponse } from '../contracts/completion.ts';
import type { DisplayDecision } from '../contracts/outcome.ts';
import { DISPLAY_FILTER, type FilterResult } from '../filters/index.ts';

/** Share of what the filter would hide that is shown all the same, so that it can find out where it errs. */
export const EXPLORED_SHARE = 0.02;
/** k: what is less likely than this part of p* is hidden. docs/learning.md has the measurement. */
export const DISPLAY_SHARE = 0.4;

/**
 * Shows what is likely enough, and a little of the rest.
 *
 * @param draw uniform in 0..1
 */
export function decideDisplay(chance: number, threshold: number, draw: number): DisplayDecision {
  if (chance >= threshold) return { shown: true, chance, threshold, explored: false, propensity: 1 };
  const explored = draw < EXPLORED_SHARE;
  const propensity = explored ? EXPLORED_SHARE : 1 - EXPLORED_SHARE;
  return { shown: explored, chance, threshold, explored, propensity };
}

/**
 * Hides a filtered suggestion that will hardly be taken.
 *
 * @param acceptance as the companion predicts it; without it, and where nothing is shown anyway, nothing is decided
 * @param draw uniform in 0..1
 */
export function hideUnlikely(
  made: FilterResult,
  acceptance: CompletionResponse['acceptance'],
  draw: number,
): FilterResult & { display?: DisplayDecision } {
  if (made.text === '' || acceptance?.after === undefined) return made;
  const display = decideDisplay(acceptance.after, acceptance.threshold, draw);
  if (display.shown) return { ...made, display };
  return {
    ...made,
    text: '',
    filters: [...made.filters, DISPLAY_FILTER],
    steps: [...made.steps, { filter: DISPLAY_FILTER, did: 'hid', lostChars: made.text.length }],
    hiddenBy: DISPLAY_FILTER,
    display,
  };
}

/** A draw from the random end of a UUIDv7: the same for the same completion, whoever asks. */
export function drawOf(completionId: string): number {
  const RANDOM_DIGITS = 8;
  return parseInt(completionId.slice(-RANDOM_DIGITS), 16) / 16 ** RANDOM_DIGITS;
}
