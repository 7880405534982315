/** Longer without a suggestion, or farther away, and the developer has moved on. */
const MOST_PAUSE_MS = 60_000;
const MOST_DISTANCE_CHARS = 400;

/** A suggestion, where and when it was asked for, and what is left of it. */
export interface EpisodeSuggestion {
  /** Milliseconds since the epoch. */
  at: number;
  /** UTF-16 offset of the caret in the document. */
  offset: number;
  /** UTF-16 lengths; nothing shown: it was silent, hidden or not displayed long enough to say anything. */
  shownChars: number;
  keptChars: number;
}

/** How an episode counts beside the suggestion's own reward. */
export interface EpisodeOptions {
  /** p*, 0..1. */
  acceptThreshold: number;
  /** Part of a suggestion's reward that is its episode's, 0..1; 0: each for itself. */
  episodeWeight: number;
  /** Discount for each suggestion that followed in the episode, 0..1. */
  episodeDiscount: number;
}

/**
 * The editing episode that a suggestion belongs to: those that followed one another at a place in a document until the
 * developer had moved on.
 *
 * @param suggestions of one document, in the order of time
 * @returns the episode in the same order, and the suggestion's index in it
 */
export function episodeOf(
  suggestions: readonly EpisodeSuggestion[],
  index: number,
): { episode: EpisodeSuggestion[]; index: number } {
  const follows = (i: number): boolean => {
    const [before, after] = [suggestions[i - 1]!, suggestions[i]!];
    const distance = Math.abs(after.offset - before.offset - before.keptChars);
    return after.at - before.at <= MOST_PAUSE_MS && distance <= MOST_DISTANCE_CHARS;
  };
  let first = index;
  let end = index + 1;
  while (first > 0 && follows(first)) first--;
  while (end < suggestions.length && follows(end)) end++;
  return { episode: suggestions.slice(first, end), index: index - first };
}

/**
 * A suggestion's reward with its episode's: (1 − w)·r + w·γᵏ·R, where R = f − p* of the part f of all characters shown
 * in the episode that stays, and k suggestions followed. So R lies between −p* and 1 − p*, as r does, and one
 * suggestion that is an episode by itself keeps its reward. Monte Carlo return, discounted from the end (Sutton and
 * Barto 2018, chapter 3).
 *
 * @param own the suggestion's own reward r
 */
export function episodeReward(
  own: number,
  { episode, index }: ReturnType<typeof episodeOf>,
  { acceptThreshold, episodeWeight, episodeDiscount }: EpisodeOptions,
): number {
  const shown = episode.reduce((sum, { shownChars }) => sum + shownChars, 0);
  if (episodeWeight === 0 || episode.length < 2 || shown === 0) return own;
  const kept = episode.reduce((sum, { keptChars }) => sum + keptChars, 0);
  const discounted = episodeDiscount ** (episode.length - 1 - index) * (kept / shown - acceptThreshold);
  return (1 - episodeWeight) * own + episodeWeight * discounted;
}
