import type { EditorEvent, TextEdit } from './events.ts';
import type { RetentionEvent } from '../contracts/feedback.ts';
import { retainedFraction, wordsOf } from './retained.ts';
import { closedRange, type TrackedRange } from './trackedRange.ts';
import type { DocumentText } from './events.ts';

/** When survival is measured, in seconds after the acceptance. */
const SURVIVAL_CHECKPOINTS_S = [30, 120, 300, 600] as const;

export interface RetentionFact {
  completionId: string;
  at: number;
  afterSeconds: RetentionEvent['afterSeconds'];
  fraction: number | null;
}

interface Accepted {
  id: string;
  document: string;
  text: string;
  range: TrackedRange;
  acceptedAt: number;
  checkpoints: RetentionEvent['afterSeconds'][];
  /** `gone`: the file was deleted. `unknown`: the document was closed. */
  state: 'open' | 'gone' | 'unknown';
}

/** Follows accepted texts through later edits and says how much of each is left at every checkpoint. */
export class SurvivalTracker {
  readonly #accepted: Accepted[] = [];
  readonly #texts: (document: string) => DocumentText | undefined;

  constructor(texts: (document: string) => DocumentText | undefined) {
    this.#texts = texts;
  }

  /** `start`: where the accepted text stands now; `text`: as it stands in the document. */
  accept(id: string, document: string, start: number, text: string, at: number): void {
    const range = { start, end: start + text.length, intact: true };
    const checkpoints = [...SURVIVAL_CHECKPOINTS_S];
    this.#accepted.push({ id, document, text, range, acceptedAt: at, checkpoints, state: 'open' });
  }

  /** Facts that are due by the time of the event, oldest first; they are measured before the event is applied. */
  handle(event: EditorEvent): RetentionFact[] {
    const facts = event.type === 'shutdown' ? this.#closeAll(event.at) : [];
    for (const one of this.#accepted) applyTo(one, event);
    if (event.type === 'tick') facts.push(...this.#due(event.at));
    return facts;
  }

  /** Documents whose text has to be known at the next checkpoint. */
  follows(document: string): boolean {
    return this.#accepted.some((one) => one.document === document && one.state === 'open');
  }

  nextDueAt(): number | undefined {
    const dues = this.#accepted.map((one) => dueAt(one, one.checkpoints[0]!));
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  #due(at: number): RetentionFact[] {
    const facts: RetentionFact[] = [];
    for (const one of this.#accepted) {
      while (one.checkpoints.length > 0 && dueAt(one, one.checkpoints[0]!) <= at) {
        facts.push(this.#measure(one, one.checkpoints.shift()!));
      }
    }
    this.#dropFinished();
    return facts.sort((a, b) => a.at - b.at);
  }

  #measure(one: Accepted, afterSeconds: RetentionEvent['afterSeconds']): RetentionFact {
    const fact = { completionId: one.id, at: dueAt(one, afterSeconds), afterSeconds };
    if (one.state === 'gone') return { ...fact, fraction: 0 };
    const text = one.state === 'open' ? this.#texts(one.document) : undefined;
    if (text === undefined) return { ...fact, fraction: null };
    return { ...fact, fraction: retainedFraction(one.text, text.slice(one.range.start, one.range.end)) };
  }

  /** The window closes: checkpoints still to come will not be seen. A deleted file stays deleted. */
  #closeAll(at: number): RetentionFact[] {
    const facts = this.#accepted.flatMap((one) =>
      one.checkpoints.map((afterSeconds) => ({
        completionId: one.id,
        at,
        afterSeconds,
        fraction: one.state === 'gone' ? 0 : null,
      })),
    );
    this.#accepted.length = 0;
    return facts;
  }

  #dropFinished(): void {
    const open = this.#accepted.filter((one) => one.checkpoints.length > 0);
    this.#accepted.splice(0, this.#accepted.length, ...open);
  }
}

function dueAt(one: Accepted, afterSeconds: number): number {
  return one.acceptedAt + afterSeconds * 1000;
}

function applyTo(one: Accepted, event: EditorEvent): void {
  if (!('document' in event) || event.document !== one.document) return;
  if (event.type === 'change') one.range = rangeAfter(one, event.edits);
  if (event.type === 'renamed') one.document = event.to;
  if (event.type === 'deleted') one.state = 'gone';
  if (event.type === 'closed' && one.state === 'open') one.state = 'unknown';
}

/**
 * An edit that swallows the whole text, as a formatter's or a reload's single replacement of the document does,
 * is searched for it, white space aside; what isn't found there is gone.
 */
function rangeAfter(one: Accepted, edits: TextEdit[]): TrackedRange {
  const swallowing = edits.find(
    (edit) =>
      edit.offset <= one.range.start &&
      edit.offset + edit.deleted >= one.range.end &&
      edit.deleted > one.range.end - one.range.start,
  );
  const range = closedRange(one.range, edits);
  if (!swallowing || one.range.start === one.range.end) return range;
  const words = wordsOf(one.text).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const found = words.length === 0 ? null : new RegExp(words.join('\\s*'), 'u').exec(swallowing.inserted);
  if (!found) return { start: range.end, end: range.end, intact: false };
  const start = range.start + found.index;
  return { start, end: start + found[0].length, intact: true };
}
