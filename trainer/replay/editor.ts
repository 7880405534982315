import type { FeedbackEvent } from '../../extension/common/contracts/index.ts';
import {
  FeedbackTracker,
  type ChangeOrigin,
  type EditorEvent,
  type OfferedCompletion,
  type WithheldCompletion,
} from '../../extension/common/outcome/index.ts';
import type { VirtualClock } from './clock.ts';

/** A longer insertion would count as a paste. */
const LARGEST_INSERTION_CHARS = 100;

/**
 * The editor that the simulated developer types in: one document at a time, a caret, ghost text, and the events
 * that a real editor would raise, given to the same tracker that the extension uses. Time is a virtual clock.
 */
export class SimulatedEditor {
  readonly clock: VirtualClock;
  readonly #tracker: FeedbackTracker;
  readonly #settled: FeedbackEvent[] = [];
  document = '';
  text = '';
  caret = 0;
  version = 0;

  constructor(clock: VirtualClock, newId: () => string) {
    this.clock = clock;
    this.#tracker = new FeedbackTracker(newId);
  }

  open(document: string, text: string): void {
    this.document = document;
    this.text = text;
    this.caret = 0;
    this.version = 1;
    this.#tell({ type: 'focus', document, at: this.clock.now });
  }

  /** Leaves the document: everything open in it is settled. */
  close(): void {
    this.#tell({ type: 'closed', document: this.document, at: this.clock.now });
  }

  /** The window closes: everything still open anywhere is settled. */
  shutdown(): void {
    this.#tell({ type: 'shutdown', at: this.clock.now });
  }

  moveTo(caret: number): void {
    this.caret = caret;
    this.#tell({ type: 'selection', caret, ...this.#where() });
  }

  /** Types at the caret; `key by key` while ghost text may be on display, in larger pieces otherwise. */
  type(text: string, keyByKeyChars: number, keystrokeMs: number): void {
    for (let at = 0; at < text.length;) {
      const size = at < keyByKeyChars ? 1 : Math.min(LARGEST_INSERTION_CHARS, text.length - at);
      this.clock.advance(size * keystrokeMs);
      this.tick();
      this.#insert(text.slice(at, at + size));
      at += size;
    }
  }

  /** Replaces a part of the document away from the caret, which stays where it is in the text. */
  replace(offset: number, deleted: number, inserted: string, origin: ChangeOrigin): void {
    this.#change(offset, deleted, inserted, origin);
    if (offset < this.caret) this.caret += inserted.length - Math.min(deleted, this.caret - offset);
  }

  offer(completion: OfferedCompletion): void {
    this.#tell({ type: 'offered', completion, ...this.#where() });
  }

  withhold(completion: WithheldCompletion): void {
    this.#tell({ type: 'withheld', completion, ...this.#where() });
  }

  /** Tab: the editor inserts the text, moves the caret and then runs the item's command. */
  accept(completion: OfferedCompletion): void {
    this.#insert(completion.insertText);
    this.#tell({ type: 'accept', id: completion.id, at: this.clock.now });
  }

  /** Our accept-word command, as often as it takes. */
  acceptWords(text: string, keystrokeMs: number): void {
    for (const word of text.match(/\s*(?:[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]+)|\s+$/gu) ?? []) {
      this.#tell({ type: 'acceptPart', document: this.document, at: this.clock.now });
      this.#insert(word);
      this.clock.advance(keystrokeMs);
      this.tick();
    }
  }

  escape(): void {
    this.#tell({ type: 'escape', document: this.document, at: this.clock.now });
  }

  /** Settles what is due by now. */
  tick(): void {
    for (;;) {
      const due = this.#tracker.nextDueAt();
      if (due === undefined || due > this.clock.now) return;
      this.#tell({ type: 'tick', at: due });
    }
  }

  /** Feedback that became known since the last call. */
  takeFeedback(): FeedbackEvent[] {
    return this.#settled.splice(0);
  }

  #insert(text: string): void {
    const offset = this.caret;
    this.#change(offset, 0, text, 'typing');
    this.moveTo(offset + text.length);
  }

  #change(offset: number, deleted: number, inserted: string, origin: ChangeOrigin): void {
    this.text = this.text.slice(0, offset) + inserted + this.text.slice(offset + deleted);
    this.version++;
    this.#tell({ type: 'change', edits: [{ offset, deleted, inserted }], origin, ...this.#where() });
  }

  #where() {
    return { document: this.document, text: this.text, at: this.clock.now };
  }

  #tell(event: EditorEvent): void {
    this.#settled.push(...this.#tracker.handle(event));
  }
}
