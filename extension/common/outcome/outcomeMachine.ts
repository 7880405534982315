import type { Evidence, Outcome } from '../contracts/outcome.ts';
import { applyCaret, applyChange, breakStill, moveDisplay, newDisplay, type Display } from './display.ts';
import type {
  DocumentText,
  DroppedCompletion,
  EditorEvent,
  OfferedCompletion,
  WithheldCompletion,
} from './events.ts';
import { decide, isFirstLineCompatible, shownMsOf, type End } from './verdict.ts';

/**
 * How long an end waits before it is an outcome. On accept the editor changes the document and moves the caret
 * before it runs the item's command, so every such end waits for the command; and a slip of the finger that is
 * taken back at once finds its suggestion still undecided.
 */
const DECISION_DELAY_MS = 1000;
/** How long a suggestion waits for the suggest widget to go. */
const HELD_MAX_MS = 10_000;
/** Ids of settled completions that are remembered, so that a late event can't settle one again. */
const SETTLED_IDS_MAX = 10_000;

/** The terminal outcome of one completion. */
export interface Settled {
  completion: OfferedCompletion | WithheldCompletion | DroppedCompletion;
  outcome: Outcome;
  evidence: Evidence;
  at: number;
  shownMs: number;
  /** Where the suggestion begins now, and how many units of it stand there. */
  start: number;
  taken: number;
}

interface Pending {
  display: Display;
  end: End;
  dueAt: number;
}

/**
 * Turns editor events into exactly one terminal outcome per completion id. One suggestion at a time is on display
 * in a document; one that ended waits in `#pending` until its decision is due.
 */
export class OutcomeMachine {
  readonly #displayed = new Map<string, Display>();
  readonly #pending = new Map<string, Pending>();
  readonly #settled = new Set<string>();
  #focused: string | null | undefined;
  #editorTells = false;

  handle(event: EditorEvent): Settled[] {
    const settled = this.#apply(event);
    return [...settled, ...this.#settleDue(event.at)];
  }

  /** True while a completion has no terminal outcome; a cache may answer with such an id only. */
  isOpen(id: string): boolean {
    return this.#pending.has(id) || [...this.#displayed.values()].some((one) => one.offer.id === id);
  }

  isSettled(id: string): boolean {
    return this.#settled.has(id);
  }

  isDisplayed(document: string): boolean {
    return this.#displayed.has(document);
  }

  /** Documents in which a completion is undecided. */
  follows(document: string): boolean {
    const pending = [...this.#pending.values()];
    return this.#displayed.has(document) || pending.some((one) => one.display.offer.document === document);
  }

  nextDueAt(): number | undefined {
    const dues = [...this.#pending.values()].map((one) => one.dueAt);
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  #apply(event: EditorEvent): Settled[] {
    switch (event.type) {
      case 'offered':
        this.#offer(event.completion, event.text, event.at);
        return [];
      case 'withheld':
        return this.#withhold(event.completion, event.at);
      case 'held':
        this.#hold(event.completion, event.at);
        return [];
      case 'dropped':
        return this.#drop(event.completion, event.at);
      case 'change':
        this.#change(event);
        return [];
      case 'selection':
        this.#select(event.document, event.caret, event.text, event.at);
        return [];
      case 'accept':
        return this.#accept(event.id, 'command', event.at);
      case 'acceptPart':
        this.#acceptPart(event.document);
        return [];
      case 'escape':
        return this.#escape(event.document, event.at);
      case 'focus':
        this.#focus(event.document, event.at);
        return [];
      case 'closed':
      case 'deleted':
        this.#end(event.document, { cause: 'closed', at: event.at });
        return [];
      case 'renamed':
        this.#rename(event.document, event.to);
        return [];
      case 'editorShown':
        this.#editorShown(event.id, event.at);
        return [];
      case 'editorEnded':
        return this.#editorEnded(event);
      case 'tick':
        return [];
      case 'shutdown':
        return this.#shutdown(event.at);
    }
  }

  #offer(completion: OfferedCompletion, text: DocumentText, at: number): void {
    const current = this.#displayed.get(completion.document);
    if (this.#settled.has(completion.id)) return;
    if (current?.offer.id === completion.id) {
      if (this.#isFocused(completion.document)) current.stillSince ??= at;
      return;
    }
    const pending = this.#pending.get(completion.id);
    const waiting = pending?.display;
    if (waiting && !standsAt(waiting, completion.caret, text)) return;
    this.#end(completion.document, { cause: 'superseded', by: completion.id, at });
    this.#excuseCompatible(completion, text);
    this.#pending.delete(completion.id);
    const display = waiting ?? newDisplay(completion, at);
    if (waiting) {
      waiting.caret = completion.caret;
      waiting.taken = completion.caret - waiting.start;
      if (pending.end.cause === 'neverOffered') {
        waiting.firstOfferedAt = at;
        waiting.offer.suggestWidget = completion.suggestWidget;
      }
    }
    display.stillSince = this.#isFocused(completion.document) ? at : undefined;
    this.#displayed.set(completion.document, display);
  }

  /** One that was typed against, but whose successor goes on with the same first line, was superseded. */
  #excuseCompatible(successor: OfferedCompletion, text: DocumentText): void {
    for (const { display, end } of this.#pending.values()) {
      if (display.offer.document !== successor.document || end.cause !== 'typedAgainst') continue;
      if (display.start > successor.start || display.offer.id === successor.id) continue;
      if (!isFirstLineCompatible(display.offer.insertText, standingFrom(display, successor, text))) continue;
      end.cause = 'superseded';
      end.by = successor.id;
    }
  }

  #withhold(completion: WithheldCompletion, at: number): Settled[] {
    if (this.#settled.has(completion.id)) return [];
    this.#remember(completion.id);
    const outcome: Outcome =
      completion.by === null ? { kind: 'silent' } : { kind: 'suppressed', by: completion.by };
    const start = completion.caret;
    return [{ completion, outcome, evidence: 'command', at, shownMs: 0, start, taken: 0 }];
  }

  /** Waits for its offer, whatever else is offered in the meantime. */
  #hold(completion: OfferedCompletion, at: number): void {
    const { id } = completion;
    if (this.#settled.has(id) || this.#pending.has(id)) return;
    const current = this.#displayed.get(completion.document);
    if (current?.offer.id === id) {
      breakStill(current, at, false);
      return;
    }
    const display = newDisplay(completion, at);
    this.#pending.set(id, { display, end: { cause: 'neverOffered', at }, dueAt: at + HELD_MAX_MS });
  }

  /** It was on its way to the editor and never there: neither taken nor rejected. */
  #drop(completion: DroppedCompletion, at: number): Settled[] {
    if (this.isOpen(completion.id) || this.#settled.has(completion.id)) return [];
    this.#remember(completion.id);
    const outcome: Outcome = { kind: 'ignored', shownMs: 0 };
    return [{ completion, outcome, evidence: 'inferred', at, shownMs: 0, start: completion.caret, taken: 0 }];
  }

  #change(event: Extract<EditorEvent, { type: 'change' }>): void {
    for (const { display } of this.#pending.values()) {
      if (display.offer.document === event.document) moveDisplay(display, event.edits);
    }
    const display = this.#displayed.get(event.document);
    if (!display) return;
    breakStill(display, event.at, this.#isFocused(event.document));
    const effect = applyChange(display, event.edits, event.text);
    if (effect === 'complete') this.#end(event.document, { cause: 'complete', at: event.at });
    if (effect === 'disagreed') this.#end(event.document, { cause: 'typedAgainst', at: event.at });
    if (effect === 'deletedBefore') this.#end(event.document, { cause: 'deletedBefore', at: event.at });
  }

  #select(document: string, caret: number, text: DocumentText, at: number): void {
    const display = this.#displayed.get(document);
    if (!display) return;
    const effect = applyCaret(display, caret, text);
    if (effect === 'agreed') breakStill(display, at, this.#isFocused(document));
    if (effect === 'complete') this.#end(document, { cause: 'complete', at });
    if (effect === 'disagreed') this.#end(document, { cause: 'movedAway', at });
  }

  #accept(id: string, evidence: Evidence, at: number): Settled[] {
    const display = this.#take(id);
    if (!display) return [];
    display.taken = display.offer.insertText.length;
    return [this.#settle(display, { kind: 'accepted' }, evidence, at)];
  }

  #acceptPart(document: string): void {
    const display = this.#displayed.get(document);
    if (display) display.partExpected = true;
  }

  /** Final at once: no accept command can follow, and what was dismissed must not come back from a cache. */
  #escape(document: string, at: number): Settled[] {
    const display = this.#displayed.get(document);
    if (!display) return [];
    this.#end(document, { cause: 'escape', at });
    return [this.#decide(display.offer.id)];
  }

  #focus(document: string | null, at: number): void {
    this.#focused = document;
    for (const display of [...this.#displayed.values()]) {
      if (display.offer.document === document) continue;
      const cause = document === null ? 'blurred' : 'movedAway';
      this.#end(display.offer.document, { cause, at });
    }
  }

  #rename(from: string, to: string): void {
    for (const { display } of this.#pending.values()) {
      if (display.offer.document === from) display.offer.document = to;
    }
    const display = this.#displayed.get(from);
    if (!display) return;
    display.offer.document = to;
    this.#displayed.delete(from);
    this.#displayed.set(to, display);
  }

  #editorShown(id: string, at: number): void {
    this.#editorTells = true;
    const display = this.#find(id);
    if (display) display.editorShownAt ??= at;
  }

  #editorEnded(event: Extract<EditorEvent, { type: 'editorEnded' }>): Settled[] {
    const display = this.#find(event.id);
    if (!display) return [];
    if (event.reason === 'accepted') return this.#accept(event.id, 'event', event.at);
    if (this.#pending.has(event.id)) return [];
    const { document } = display.offer;
    if (event.reason === 'rejected') return this.#escape(document, event.at);
    // Else an item object ended, not the suggestion: while it is typed out the same one comes again in another.
    if (event.typedAgainst === true) this.#end(document, { cause: 'typedAgainst', at: event.at });
    return [];
  }

  #shutdown(at: number): Settled[] {
    for (const document of [...this.#displayed.keys()]) this.#end(document, { cause: 'closed', at });
    return this.#settleDue(Number.POSITIVE_INFINITY).map((settled) => ({ ...settled, at }));
  }

  /** Takes the document's suggestion off display; its outcome is decided a little later. */
  #end(document: string, end: End): void {
    const display = this.#displayed.get(document);
    if (!display) return;
    breakStill(display, end.at, false);
    this.#displayed.delete(document);
    this.#pending.set(display.offer.id, { display, end, dueAt: end.at + DECISION_DELAY_MS });
  }

  #settleDue(at: number): Settled[] {
    const due = [...this.#pending.entries()].filter(([, one]) => one.dueAt <= at);
    return due.map(([id]) => this.#decide(id));
  }

  #decide(id: string): Settled {
    const { display, end } = this.#pending.get(id)!;
    this.#pending.delete(id);
    const { outcome, evidence } = decide(display, end, this.#editorTells);
    return this.#settle(display, outcome, evidence, end.at);
  }

  #settle(display: Display, outcome: Outcome, evidence: Evidence, at: number): Settled {
    this.#remember(display.offer.id);
    const shownMs = outcome.kind === 'ignored' ? outcome.shownMs : shownMsOf(display, at);
    const { offer: completion, start, taken } = display;
    return { completion, outcome, evidence, at, shownMs, start, taken };
  }

  #remember(id: string): void {
    this.#settled.add(id);
    if (this.#settled.size <= SETTLED_IDS_MAX) return;
    const [oldest] = this.#settled;
    this.#settled.delete(oldest!);
  }

  #find(id: string): Display | undefined {
    const displayed = [...this.#displayed.values()].find((one) => one.offer.id === id);
    return displayed ?? this.#pending.get(id)?.display;
  }

  #take(id: string): Display | undefined {
    const display = this.#find(id);
    if (!display) return undefined;
    this.#pending.delete(id);
    if (this.#displayed.get(display.offer.document) === display)
      this.#displayed.delete(display.offer.document);
    return display;
  }

  /** Until the first focus event every document counts as focused. */
  #isFocused(document: string): boolean {
    return this.#focused === undefined || this.#focused === document;
  }
}

/** Whether what stands between the suggestion's start and the caret is the beginning of the suggestion. */
function standsAt(display: Display, caret: number, text: DocumentText): boolean {
  return caret >= display.start && display.offer.insertText.startsWith(text.slice(display.start, caret));
}

/** What stands where a suggestion began, with its successor; no more than is compared, however far that is away. */
function standingFrom(display: Display, successor: OfferedCompletion, text: DocumentText): string {
  const comparedTo = display.start + display.offer.insertText.length + 1;
  if (successor.start > comparedTo) return text.slice(display.start, comparedTo);
  return text.slice(display.start, successor.start) + successor.insertText;
}
