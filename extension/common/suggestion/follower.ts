import type { TypeThroughCache } from '../cache/typeThroughCache.ts';
import type { FeedbackEvent } from '../contracts/feedback.ts';
import { FeedbackTracker, type EditorEvent } from '../outcome/index.ts';

/**
 * Follows suggestions whether or not what becomes of them may be recorded: one that has its outcome must not be
 * shown again from the cache either way.
 */
export class SuggestionFollower {
  readonly #newId: () => string;
  readonly #cache: TypeThroughCache;
  #tracker: FeedbackTracker;
  #recording = false;

  /** `newId` makes UUIDv7s. Nothing may be recorded until `restart` says so. */
  constructor(newId: () => string, cache: TypeThroughCache) {
    this.#newId = newId;
    this.#cache = cache;
    this.#tracker = new FeedbackTracker(newId);
  }

  /** What happens to suggestions that are asked for now may be written down. */
  get recording(): boolean {
    return this.#recording;
  }

  /** For its questions; events go through `handle`. */
  get tracker(): Omit<FeedbackTracker, 'handle'> {
    return this.#tracker;
  }

  /** Returns the feedback that may be recorded. */
  handle(event: EditorEvent): FeedbackEvent[] {
    const feedback = this.#tracker.handle(event);
    for (const one of feedback) if (one.kind === 'outcome') this.#cache.forget(one.completionId);
    return this.#recording ? feedback : [];
  }

  /** Suggestions of before were recorded or not as it was then; neither goes on as the other: all are forgotten. */
  restart(recording: boolean): void {
    this.#recording = recording;
    this.#tracker = new FeedbackTracker(this.#newId);
    this.#cache.clear();
  }
}
