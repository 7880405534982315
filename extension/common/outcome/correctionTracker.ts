import { maskSecrets } from '../secrets/mask.ts';
import type { DocumentText, EditorEvent } from './events.ts';
import { lineEndBelow, lineStart, newlineCount, toLf } from './offsets.ts';
import { growingRange, type TrackedRange } from './trackedRange.ts';

/** The developer has finished when nothing was edited near the place for this long. */
const CORRECTION_QUIET_MS = 10_000;
/** A correction is taken at the latest this long after the suggestion's end. */
const CORRECTION_LIMIT_MS = 60_000;
/** What stands in front may tell that a text is a secret: its name, the beginning of a key. */
const MASK_CONTEXT_UNITS = 4000;
/** A single insertion longer than this was not typed. */
export const TYPED_INSERT_MAX_UNITS = 200;

export interface CorrectionFact {
  completionId: string;
  at: number;
  /** Text that stands at the place, LF; null when it can't be told. */
  typed: string | null;
}

interface Watched {
  id: string;
  document: string;
  /** From the completion's position to the start of the text that stood behind it. */
  range: TrackedRange;
  /** Line breaks of the suggestion. */
  lines: number;
  /** Last edit near the place, or the suggestion's end. */
  lastActivityAt: number;
  /** Set once the suggestion has ended without being taken whole. */
  endedAt: number | undefined;
  /** Set once the developer has finished. */
  result: { typed: string | null } | undefined;
}

/**
 * What the developer wrote instead of a suggestion: the text between the completion's position and whatever stood
 * behind it, as many lines of it as the suggestion had, read when the caret has left those lines, or nothing was
 * edited near them for 10 s, or 60 s after the suggestion ended. Undo, a large paste and other tools' edits make
 * it null, and so does a change of the text in front, or of the document before the suggestion came.
 */
export class CorrectionTracker {
  readonly #watched = new Map<string, Watched>();
  readonly #texts: (document: string) => DocumentText | undefined;

  constructor(texts: (document: string) => DocumentText | undefined) {
    this.#texts = texts;
  }

  /** Begins with the offer: what is typed before the outcome is decided belongs to the correction. */
  watch(id: string, document: string, position: number, suggestion: string, at: number): void {
    if (this.#watched.has(id)) return;
    this.#watched.set(id, {
      id,
      document,
      range: { start: position, end: position, intact: true },
      lines: newlineCount(suggestion),
      lastActivityAt: at,
      endedAt: undefined,
      result: undefined,
    });
  }

  /** The suggestion ended and was not taken whole: its correction is wanted. */
  want(id: string, at: number): void {
    const watched = this.#watched.get(id);
    if (!watched) return;
    watched.endedAt = at;
    watched.lastActivityAt = Math.max(watched.lastActivityAt, at);
  }

  /** The suggestion was taken whole, or is not recorded after all. */
  drop(id: string): void {
    this.#watched.delete(id);
  }

  /** Applies the event; what is decided comes out through `ready`. */
  handle(event: EditorEvent): void {
    for (const watched of this.#watched.values()) this.#apply(watched, event);
  }

  /** Takes out the corrections that are decided and wanted. */
  ready(at: number): CorrectionFact[] {
    const facts: CorrectionFact[] = [];
    for (const watched of this.#watched.values()) {
      if (watched.endedAt === undefined) continue;
      if (!watched.result && limitOf(watched) <= at) this.#finish(watched);
      if (!watched.result) continue;
      facts.push({ completionId: watched.id, at, typed: watched.result.typed });
      this.#watched.delete(watched.id);
    }
    return facts;
  }

  follows(document: string): boolean {
    return [...this.#watched.values()].some((one) => one.document === document && !one.result);
  }

  nextDueAt(): number | undefined {
    const dues = [...this.#watched.values()].filter((one) => one.endedAt !== undefined).map(limitOf);
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  #apply(watched: Watched, event: EditorEvent): void {
    if (watched.result) return;
    if (event.type === 'shutdown') {
      watched.result = { typed: null };
      return;
    }
    if (!('document' in event) || event.document !== watched.document) return;
    if (event.type === 'renamed') watched.document = event.to;
    if (event.type === 'closed' || event.type === 'deleted') watched.result = { typed: null };
    if (event.type === 'dropped' && event.changed && event.completion.id === watched.id) {
      watched.result = { typed: null };
    }
    if (event.type === 'change') this.#applyChange(watched, event);
    if (event.type === 'selection' && !isNear(watched, event.text, event.caret, event.caret)) {
      this.#finish(watched);
    }
  }

  #applyChange(watched: Watched, event: Extract<EditorEvent, { type: 'change' }>): void {
    const before = watched.range;
    watched.range = growingRange(before, event.edits);
    const touches = event.edits.some(
      (edit) => edit.offset <= before.end && edit.offset + edit.deleted >= before.start,
    );
    if (touches) {
      const typed = event.origin === 'typing' || event.origin === 'paste';
      const large = event.edits.some((edit) => edit.inserted.length > TYPED_INSERT_MAX_UNITS);
      if (!typed || large || !watched.range.intact) watched.result = { typed: null };
    }
    const shift = (offset: number) => growingRange({ start: offset, end: offset, intact: true }, event.edits);
    const near = event.edits.some((edit) => {
      const place = shift(edit.offset);
      return isNear(watched, event.text, place.start, place.end);
    });
    if (near) watched.lastActivityAt = event.at;
  }

  #finish(watched: Watched): void {
    const text = this.#texts(watched.document);
    if (text === undefined) {
      watched.result = { typed: null };
      return;
    }
    const { start } = watched.range;
    const end = Math.min(watched.range.end, lineEndBelow(text, start, watched.lines));
    const from = Math.max(0, start - MASK_CONTEXT_UNITS);
    const masked = maskSecrets(text.slice(from, end + MASK_CONTEXT_UNITS));
    watched.result = { typed: toLf(masked.slice(start - from, end - from)) };
  }
}

function limitOf(watched: Watched): number {
  if (watched.result) return watched.endedAt!;
  return Math.min(watched.lastActivityAt + CORRECTION_QUIET_MS, watched.endedAt! + CORRECTION_LIMIT_MS);
}

/** Whether a place lies in the lines that the suggestion spans. */
function isNear(watched: Watched, text: DocumentText, from: number, to: number): boolean {
  const first = lineStart(text, Math.min(watched.range.start, text.length));
  const last = lineEndBelow(text, watched.range.start, watched.lines);
  return to >= first && from <= last;
}
