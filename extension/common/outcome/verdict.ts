import type { Evidence, Outcome } from '../contracts/outcome.ts';
import { shownText, takenChars, type Display } from './display.ts';
import { firstLine } from './offsets.ts';

/** A suggestion that stood unchanged for less than this was not read. */
export const DISPLAY_MIN_MS = 750;
/** From this share on a text that was typed out counts as taken, whatever happened to its last characters. */
export const TYPED_THROUGH_SHARE = 0.9;

/** Why a suggestion went off display. */
export interface End {
  cause:
    | 'complete'
    | 'typedAgainst'
    | 'movedAway'
    | 'escape'
    | 'superseded'
    | 'neverOffered'
    | 'deletedBefore'
    | 'blurred'
    | 'closed';
  at: number;
  /** Id of the successor. */
  by?: string | undefined;
}

/**
 * The outcome of a suggestion that ended without its accept command, and how its display is known.
 *
 * @param editorTells the editor tells about what it displays: what it doesn't tell of was never on display
 */
export function decide(
  display: Display,
  end: End,
  editorTells: boolean,
): { outcome: Outcome; evidence: Evidence } {
  const unshown = end.cause === 'neverOffered' || (editorTells && display.editorShownAt === undefined);
  const shownMs = unshown ? 0 : shownMsOf(display, end.at);
  const chars = takenChars(display);
  const share = chars / Math.max(1, shownText(display.offer).length);
  const shownByEditor =
    display.editorShownAt !== undefined && end.at - display.editorShownAt >= DISPLAY_MIN_MS;
  const stoodStill = display.longestStillMs >= DISPLAY_MIN_MS && !display.offer.suggestWidget;
  const seen = shownByEditor || (stoodStill && !unshown);
  const observed: Evidence = shownByEditor ? 'event' : seen ? 'observed' : 'inferred';
  const ignored: Outcome = {
    kind: 'ignored',
    shownMs,
    ...(end.cause === 'superseded' && end.by !== undefined ? { supersededBy: end.by } : {}),
  };

  if (display.bySuggestWidget) return { outcome: ignored, evidence: 'inferred' };
  if (display.byPart && chars > 0) {
    const evidence: Evidence = display.byOwnCommand ? 'command' : shownByEditor ? 'event' : 'observed';
    return { outcome: { kind: 'partiallyAccepted', chars }, evidence };
  }
  if (share >= TYPED_THROUGH_SHARE) return { outcome: { kind: 'typedThrough', chars }, evidence: observed };
  if (end.cause === 'escape' && !unshown) {
    const rejected: Outcome = { kind: 'rejected', how: 'escape' };
    return { outcome: shownMs >= DISPLAY_MIN_MS ? rejected : ignored, evidence: 'command' };
  }
  if (!seen || (end.cause !== 'typedAgainst' && end.cause !== 'movedAway')) {
    return { outcome: ignored, evidence: observed };
  }
  if (chars > 0) return { outcome: { kind: 'typedThrough', chars }, evidence: observed };
  return { outcome: { kind: 'rejected', how: end.cause }, evidence: observed };
}

/** How long a suggestion was offered until a time; 0 when the clock was set back meanwhile. */
export function shownMsOf(display: Display, at: number): number {
  return Math.max(0, at - display.firstOfferedAt);
}

/** Whether one text's first line goes on where the other's ends. */
export function isFirstLineCompatible(text: string, successor: string): boolean {
  const a = firstLine(text);
  const b = firstLine(successor);
  return a.startsWith(b) || b.startsWith(a);
}
