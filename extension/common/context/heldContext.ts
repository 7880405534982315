/** When the context of a place is asked for anew, and when the one that was shown there stays. Pure. */

/**
 * Other files stand at the very front of a prompt: when one of them changes, the model's cache is void and the whole
 * prompt is evaluated, hundreds of tokens instead of the few that were typed. So a context is kept while somebody
 * types on in the same place, whatever the words there have become.
 */
const MOVED_LINES_MAX = 12;
/** After a pause the developer may have read something else, and one slow answer isn't felt. */
const PAUSE_MS = 5000;

/** A caret. */
export interface ContextPlace {
  document: string;
  /** 0-based. */
  line: number;
  atMs: number;
}

/** The context that is shown at one place; `Context` is whatever an answer holds. */
export class HeldContext<Context> {
  #held: { place: ContextPlace; context: Context } | undefined;

  /**
   * The context to go on with, or undefined when there is none for this place or it should be asked for again.
   * The place is where typing went on: it moves with the caret in time, not in lines.
   */
  at(place: ContextPlace): Context | undefined {
    const held = this.#held;
    if (held === undefined || !isSamePlace(held.place, place)) return undefined;
    if (place.atMs - held.place.atMs > PAUSE_MS) return undefined;
    held.place = { ...held.place, atMs: place.atMs };
    return held.context;
  }

  /** The last context of this place, however old; for a request that can't wait for a new one. */
  last(place: ContextPlace): Context | undefined {
    return this.#held !== undefined && isSamePlace(this.#held.place, place) ? this.#held.context : undefined;
  }

  /** An answer came. */
  hold(place: ContextPlace, context: Context): void {
    this.#held = { place, context };
  }

  /** What may be shown has changed: settings, trust, excluded files. */
  clear(): void {
    this.#held = undefined;
  }
}

function isSamePlace(held: ContextPlace, now: ContextPlace): boolean {
  return held.document === now.document && Math.abs(held.line - now.line) <= MOVED_LINES_MAX;
}
