import { CONTRACT_VERSION, type FeedbackEvent, type OutcomeEvent } from '../contracts/feedback.ts';
import { CorrectionTracker, type CorrectionFact } from './correctionTracker.ts';
import { shownText } from './display.ts';
import type { DocumentText, EditorEvent } from './events.ts';
import { toLf } from './offsets.ts';
import { OutcomeMachine, type Settled } from './outcomeMachine.ts';
import { SurvivalTracker, type RetentionFact } from './survivalTracker.ts';
import { TYPED_THROUGH_SHARE } from './verdict.ts';

/**
 * Editor events in, feedback events out: outcome, correction and survival of every completion. Pure: time comes
 * with the events, event ids from `newId`. Call `handle` with every event in order, and with a `tick` when
 * `nextDueAt()` is reached.
 */
export class FeedbackTracker {
  readonly #newId: () => string;
  readonly #outcomes = new OutcomeMachine();
  readonly #texts = new Map<string, DocumentText>();
  readonly #corrections = new CorrectionTracker((document) => this.#texts.get(document));
  readonly #survival = new SurvivalTracker((document) => this.#texts.get(document));

  /** `newId` makes UUIDv7s. */
  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** Feedback that this event settles, in the order in which it became known. */
  handle(event: EditorEvent): FeedbackEvent[] {
    this.#rememberText(event);
    this.#watch(event);
    const retention = this.#survival.handle(event);
    this.#corrections.handle(event);
    const settled = this.#outcomes.handle(event);
    for (const one of settled) this.#follow(one);
    // What was only settled by the end of the session is followed no further either.
    if (event.type === 'shutdown') retention.push(...this.#survival.handle(event));
    const corrections = this.#corrections.ready(event.at);
    this.#forgetTexts(event);
    return [
      ...retention.map((fact) => this.#retentionEvent(fact)),
      ...settled.map((one) => this.#outcomeEvent(one)),
      ...corrections.map((fact) => this.#correctionEvent(fact)),
    ];
  }

  /** True while the completion has no terminal outcome: a cache may answer with such an id only. */
  isOpen(id: string): boolean {
    return this.#outcomes.isOpen(id);
  }

  /** False: changes and caret movements in the document mean nothing now and may be left out. */
  follows(document: string): boolean {
    return [this.#outcomes, this.#corrections, this.#survival].some((part) => part.follows(document));
  }

  /** Documents of which texts are kept. */
  followed(): string[] {
    return [...this.#texts.keys()];
  }

  /** A suggestion is thought to be on display there. */
  isDisplayed(document: string): boolean {
    return this.#outcomes.isDisplayed(document);
  }

  /** When the next `tick` is wanted; undefined: nothing waits. */
  nextDueAt(): number | undefined {
    const dues = [this.#outcomes, this.#corrections, this.#survival]
      .map((part) => part.nextDueAt())
      .filter((due) => due !== undefined);
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  #rememberText(event: EditorEvent): void {
    if ('text' in event) this.#texts.set(event.document, event.text);
    if (event.type !== 'renamed') return;
    const text = this.#texts.get(event.document);
    this.#texts.delete(event.document);
    if (text !== undefined) this.#texts.set(event.to, text);
  }

  /** Keeps the texts of the documents that something is followed in. */
  #forgetTexts(event: EditorEvent): void {
    if (event.type === 'closed' || event.type === 'deleted') this.#texts.delete(event.document);
    if (!('text' in event)) return;
    if (!this.follows(event.document)) this.#texts.delete(event.document);
  }

  #watch(event: EditorEvent): void {
    if (!('completion' in event)) return;
    const { id, document, caret } = event.completion;
    if (this.#outcomes.isOpen(id) || this.#outcomes.isSettled(id)) return;
    const suggestion =
      'insertText' in event.completion ? shownText(event.completion) : event.completion.rawText;
    this.#corrections.watch(id, document, caret, suggestion, event.at);
  }

  #follow(settled: Settled): void {
    const { completion, outcome, at } = settled;
    const whole = outcome.kind === 'accepted' || wholeTyped(settled);
    if (whole) this.#corrections.drop(completion.id);
    else this.#corrections.want(completion.id, at);
    if (!('insertText' in completion) || !isTaken(settled)) return;
    const given = completion.caret - completion.start;
    const text = completion.insertText.slice(given, settled.taken);
    this.#survival.accept(completion.id, completion.document, settled.start + given, text, at);
  }

  #outcomeEvent(settled: Settled): FeedbackEvent {
    const { completion, outcome, evidence, at, shownMs } = settled;
    return {
      ...this.#base(completion.id, at),
      kind: 'outcome',
      outcome,
      evidence,
      shownText: 'insertText' in completion ? shownText(completion) : '',
      filters: completion.filters,
      ...(completion.display === undefined ? {} : { display: completion.display }),
      shownMs,
      language: completion.language,
      relativePath: completion.relativePath,
      workspaceKey: completion.workspaceKey,
      documentVersion: completion.documentVersion,
      offset: completion.caret,
      session: completion.session,
    } satisfies OutcomeEvent;
  }

  #retentionEvent(fact: RetentionFact): FeedbackEvent {
    const { completionId, at, afterSeconds, fraction } = fact;
    return { ...this.#base(completionId, at), kind: 'retention', afterSeconds, fraction };
  }

  #correctionEvent(fact: CorrectionFact): FeedbackEvent {
    return { ...this.#base(fact.completionId, fact.at), kind: 'correction', typed: fact.typed };
  }

  #base(completionId: string, at: number) {
    return { v: CONTRACT_VERSION, id: this.#newId(), completionId, at } as const;
  }
}

function wholeTyped({ completion, outcome }: Settled): boolean {
  if (outcome.kind !== 'typedThrough' && outcome.kind !== 'partiallyAccepted') return false;
  return 'insertText' in completion && outcome.chars === shownText(completion).length;
}

/** Texts whose survival is followed: accepted, accepted in part, and typed out as good as whole. */
function isTaken({ completion, outcome }: Settled): boolean {
  if (outcome.kind === 'accepted' || outcome.kind === 'partiallyAccepted') return true;
  if (outcome.kind !== 'typedThrough' || !('insertText' in completion)) return false;
  return outcome.chars >= TYPED_THROUGH_SHARE * toLf(shownText(completion)).length;
}
