import type { OutcomeFacts } from '../store/types.ts';

/** Failures in a row that are put down to chance before the batch is made smaller. */
const CHANCE_FAILURES = 2;

/**
 * Finds the event that makes the learner fail: batches shrink by half while updates fail, until one event is left
 * alone with the blame. It is set aside until the companion starts anew, so that the others can be learned from.
 */
export class Suspects {
  private failures = 0;
  private readonly aside = new Set<string>();

  /** A sentence about events that are set aside; null: none are. */
  get note(): string | null {
    const count = this.aside.size;
    if (count === 0) return null;
    return count === 1
      ? 'One event is set aside because the learner failed on it; it is tried again after a restart.'
      : `${count} events are set aside because the learner failed on them; they are tried again after a restart.`;
  }

  /** Failures so far may be chance: the update that failed can be made again as it was. */
  get calm(): boolean {
    return this.failures < CHANCE_FAILURES;
  }

  /** The events that the next update should be made of. */
  choose(ready: OutcomeFacts[], batchEvents: number): OutcomeFacts[] {
    const halvings = Math.max(0, this.failures - CHANCE_FAILURES + 1);
    return this.without(ready).slice(0, Math.ceil(batchEvents / 2 ** halvings));
  }

  /** The events that are not set aside. */
  without(ready: OutcomeFacts[]): OutcomeFacts[] {
    return this.aside.size === 0 ? ready : ready.filter((facts) => !this.aside.has(facts.eventId));
  }

  succeeded(): void {
    this.failures = 0;
  }

  failed(events: OutcomeFacts[]): void {
    this.failures++;
    if (events.length === 1 && this.failures > CHANCE_FAILURES) this.aside.add(events[0]!.eventId);
  }
}
