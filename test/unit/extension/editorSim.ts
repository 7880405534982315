import type { FeedbackEvent } from '../../../extension/common/contracts/feedback.ts';
import {
  FeedbackTracker,
  type ChangeOrigin,
  type OfferedCompletion,
} from '../../../extension/common/outcome/index.ts';
import { applyEdits } from '../../../extension/common/outcome/offsets.ts';

const FACTS = {
  filters: [],
  language: 'typescript',
  relativePath: 'a.ts',
  workspaceKey: 'default',
  documentVersion: 1,
  session: 's',
};

/** A document with one caret, marked by `|`, whose events go to a tracker; time is a number that only we move. */
export class EditorSim {
  readonly tracker: FeedbackTracker;
  readonly events: FeedbackEvent[] = [];
  readonly document = 'file:///a.ts';
  text: string;
  caret: number;
  at = 1000;
  #ids = 0;

  constructor(marked: string) {
    this.caret = marked.indexOf('|');
    this.text = marked.replace('|', '');
    this.tracker = new FeedbackTracker(() => `event-${++this.#ids}`);
  }

  offer(id: string, insertText: string, changes: Partial<OfferedCompletion> = {}): this {
    const completion: OfferedCompletion = {
      id,
      document: this.document,
      start: this.caret,
      caret: this.caret,
      replaced: 0,
      insertText,
      suggestWidget: false,
      ...FACTS,
      ...changes,
    };
    return this.send({ type: 'offered', completion, document: this.document, text: this.text });
  }

  withhold(id: string, rawText: string, by: string | null): this {
    const { document, text, caret } = this;
    const completion = { id, document, caret, rawText, by, suggestWidget: false, ...FACTS };
    return this.send({ type: 'withheld', completion, document, text });
  }

  /** The suggest widget is in the way of it. */
  hold(id: string, insertText: string): this {
    const { document, text, caret } = this;
    const place = { start: caret, caret, replaced: 0, insertText, suggestWidget: true };
    return this.send({ type: 'held', completion: { id, document, ...place, ...FACTS }, document, text });
  }

  /** Its answer came after the request was cancelled. */
  drop(id: string, rawText: string, changed: boolean): this {
    const { document, text, caret } = this;
    const completion = { id, document, caret, rawText, suggestWidget: false, ...FACTS };
    return this.send({ type: 'dropped', completion, changed, document, text });
  }

  wait(ms: number): this {
    const until = this.at + ms;
    for (;;) {
      const due = this.tracker.nextDueAt();
      if (due === undefined || due > until) break;
      this.at = Math.max(this.at, due);
      this.send({ type: 'tick' });
    }
    this.at = until;
    return this;
  }

  /** Inserts at the caret in one edit; the caret goes behind it, or `back` units less. */
  insert(inserted: string, back = 0, origin: ChangeOrigin = 'typing'): this {
    return this.edit(this.caret, 0, inserted, this.caret + inserted.length - back, origin);
  }

  /** Key by key. */
  type(text: string): this {
    for (const key of text) this.insert(key);
    return this;
  }

  backspace(times = 1): this {
    for (let time = 0; time < times; time++) this.edit(this.caret - 1, 1, '', this.caret - 1);
    return this;
  }

  edit(
    offset: number,
    deleted: number,
    inserted: string,
    caret: number,
    origin: ChangeOrigin = 'typing',
  ): this {
    const edits = [{ offset, deleted, inserted }];
    this.text = applyEdits(this.text, edits);
    this.send({ type: 'change', document: this.document, edits, origin, text: this.text });
    return this.move(caret);
  }

  /** A key with another caret too: one change of two edits, the last of the document first, as editors tell it. */
  insertTwice(other: number, inserted: string): this {
    const edits = [this.caret, other]
      .sort((a, b) => b - a)
      .map((offset) => ({ offset, deleted: 0, inserted }));
    this.text = applyEdits(this.text, edits);
    this.send({ type: 'change', document: this.document, edits, origin: 'typing', text: this.text });
    return this.move(this.caret + inserted.length * (other < this.caret ? 2 : 1));
  }

  move(caret: number): this {
    this.caret = caret;
    return this.send({ type: 'selection', document: this.document, caret, text: this.text });
  }

  /** What the editor does on Tab: edit, caret, then the item's command. */
  accept(id: string, insertText: string, replaced = 0): this {
    this.edit(this.caret, replaced, insertText, this.caret + insertText.length);
    this.at += 20;
    return this.send({ type: 'accept', id });
  }

  escape(): this {
    return this.send({ type: 'escape', document: this.document });
  }

  send(event: DistributiveOmit<Parameters<FeedbackTracker['handle']>[0], 'at'>): this {
    this.events.push(...this.tracker.handle({ ...event, at: this.at }));
    return this;
  }

  /** `accepted command`, `rejected:escape command`, `partiallyAccepted:3 observed`, … of one completion. */
  outcomes(id: string): string[] {
    return this.events.flatMap((event) => {
      if (event.kind !== 'outcome' || event.completionId !== id) return [];
      const { outcome } = event;
      const detail =
        outcome.kind === 'rejected'
          ? outcome.how
          : outcome.kind === 'suppressed'
            ? outcome.by
            : outcome.kind === 'ignored'
              ? outcome.supersededBy
              : 'chars' in outcome
                ? String(outcome.chars)
                : undefined;
      return [`${outcome.kind}${detail === undefined ? '' : `:${detail}`} ${event.evidence}`];
    });
  }

  corrections(id: string): (string | null)[] {
    return this.events.flatMap((event) =>
      event.kind === 'correction' && event.completionId === id ? [event.typed] : [],
    );
  }

  retention(id: string): [number, number | null][] {
    return this.events.flatMap((event): [number, number | null][] =>
      event.kind === 'retention' && event.completionId === id ? [[event.afterSeconds, event.fraction]] : [],
    );
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
