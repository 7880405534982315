import type Database from 'better-sqlite3';
import type {
  CorrectionEvent,
  FeedbackEvent,
  OutcomeEvent,
  RetentionEvent,
} from '../../extension/common/contracts/index.ts';
import type { CompletionTable } from './completions.ts';
import { isHeldOut } from './heldOut.ts';
import type { ClientCompletion, SubmitResult } from './types.ts';

/** A flat body, taken apart: the outcome and the facts that came with it. */
export interface FlatSubmission {
  /** The body as it came, kept in the journal. */
  body: unknown;
  outcome: OutcomeEvent;
  /** Fraction of an accepted text that survived; null for one that was not accepted. */
  retained: number | null;
  /** What stands there instead; null: not told. */
  typed: string | null;
  /** Set when no recorded completion fits. */
  client: ClientCompletion | null;
}

export interface EventTable {
  /** Stores a batch in one durable transaction; an event that contradicts an earlier one is told, not stored. */
  submit(events: FeedbackEvent[], receivedAt: number): SubmitResult[];
  submitFlat(submission: FlatSubmission, receivedAt: number): SubmitResult;
  /** The completion that a stored event is about; null: no such event. */
  completionOf(eventId: string): string | null;
  /** Durable events. */
  count(): number;
}

/** The journal of events and the tables that its facts are read from. */
export function createEventTable(database: Database.Database, completions: CompletionTable): EventTable {
  const forgotten = database.prepare('SELECT 1 FROM forgotten WHERE id IN (?, ?)').pluck();
  const isForgotten = ({ id, completionId }: FeedbackEvent): boolean =>
    forgotten.get(id, completionId) !== undefined;
  const known = database.prepare('SELECT 1 FROM events WHERE id = ?').pluck();
  const outcomeOf = database.prepare('SELECT outcome FROM outcomes WHERE completion_id = ?').pluck();
  const retentionOf = database.prepare(
    'SELECT fraction FROM retentions WHERE completion_id = ? AND after_seconds = ?',
  );
  const correctionOf = database.prepare('SELECT typed FROM corrections WHERE completion_id = ?');
  const insertEvent = database.prepare('INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?)');
  const insertOutcome = database.prepare(
    `INSERT INTO outcomes VALUES (@eventId, @completionId, @seq, @receivedAt, @origin, @outcome, @evidence,
       @shownText, @shownMs, @heldOut, 'new', NULL)`,
  );
  const insertRetention = database.prepare('INSERT INTO retentions VALUES (?, ?, ?, ?)');
  const insertCorrection = database.prepare('INSERT INTO corrections VALUES (?, ?, ?)');
  const completionOf = database.prepare('SELECT completion_id FROM events WHERE id = ?').pluck();
  const count = database.prepare('SELECT count(*) FROM events').pluck();

  const journal = (event: FeedbackEvent, kind: string, body: unknown, receivedAt: number): number =>
    Number(
      insertEvent.run(event.id, kind, event.completionId, event.at, receivedAt, JSON.stringify(body))
        .lastInsertRowid,
    );

  function addOutcome(event: OutcomeEvent, origin: 'full' | 'flat', seq: number, receivedAt: number): void {
    const completion = completions.get(event.completionId);
    const heldOut =
      completion?.heldOut ??
      isHeldOut({ relativePath: event.relativePath, offset: event.offset, column: 0, promptText: '' });
    insertOutcome.run({
      eventId: event.id,
      completionId: event.completionId,
      seq,
      receivedAt,
      origin,
      outcome: JSON.stringify(event.outcome),
      evidence: event.evidence,
      shownText: event.shownText,
      shownMs: event.shownMs,
      heldOut: heldOut ? 1 : 0,
    });
  }

  function submitOutcome(event: OutcomeEvent, receivedAt: number): SubmitResult {
    const earlier = outcomeOf.get(event.completionId) as string | undefined;
    if (earlier !== undefined) return compareOutcomes(event, earlier);
    addOutcome(event, 'full', journal(event, event.kind, event, receivedAt), receivedAt);
    return { id: event.id, status: 'stored' };
  }

  function submitRetention(event: RetentionEvent, receivedAt: number): SubmitResult {
    const earlier = retentionOf.get(event.completionId, event.afterSeconds) as
      { fraction: number | null } | undefined;
    if (earlier !== undefined)
      return earlier.fraction === event.fraction
        ? { id: event.id, status: 'duplicate' }
        : conflict(event, `already has a retention after ${event.afterSeconds} s, of ${earlier.fraction}`);
    journal(event, event.kind, event, receivedAt);
    insertRetention.run(event.id, event.completionId, event.afterSeconds, event.fraction);
    return { id: event.id, status: 'stored' };
  }

  function submitCorrection(event: CorrectionEvent, receivedAt: number): SubmitResult {
    const earlier = correctionOf.get(event.completionId) as { typed: string | null } | undefined;
    if (earlier !== undefined)
      return earlier.typed === event.typed
        ? { id: event.id, status: 'duplicate' }
        : conflict(event, 'already has another correction');
    journal(event, event.kind, event, receivedAt);
    insertCorrection.run(event.id, event.completionId, event.typed);
    return { id: event.id, status: 'stored' };
  }

  function submitOne(event: FeedbackEvent, receivedAt: number): SubmitResult {
    if (isForgotten(event)) return { id: event.id, status: 'forgotten' };
    if (known.get(event.id) !== undefined) return { id: event.id, status: 'duplicate' };
    switch (event.kind) {
      case 'outcome':
        return submitOutcome(event, receivedAt);
      case 'retention':
        return submitRetention(event, receivedAt);
      case 'correction':
        return submitCorrection(event, receivedAt);
    }
  }

  function submitFlat(submission: FlatSubmission, receivedAt: number): SubmitResult {
    const { outcome } = submission;
    if (isForgotten(outcome)) return { id: outcome.id, status: 'forgotten' };
    const earlier = outcomeOf.get(outcome.completionId) as string | undefined;
    if (earlier !== undefined) return compareOutcomes(outcome, earlier);
    if (submission.client !== null) completions.insertClient(submission.client);
    // A tracker may name the project where its completion requests did not.
    else completions.nameWorkspace(outcome.completionId, outcome.workspaceKey);
    const seq = journal(outcome, 'flat', submission.body, receivedAt);
    addOutcome(outcome, 'flat', seq, receivedAt);
    const { completionId } = outcome;
    // A fact that was told before the outcome stays.
    if (submission.retained !== null && retentionOf.get(completionId, FLAT_RETENTION_SECONDS) === undefined)
      insertRetention.run(outcome.id, completionId, FLAT_RETENTION_SECONDS, submission.retained);
    if (submission.typed !== null && correctionOf.get(completionId) === undefined)
      insertCorrection.run(outcome.id, completionId, submission.typed);
    return { id: outcome.id, status: 'stored' };
  }

  const submitAll = database.transaction((events: FeedbackEvent[], receivedAt: number) =>
    events.map((event) => submitOne(event, receivedAt)),
  );
  return {
    submit: (events, receivedAt) => submitAll.immediate(events, receivedAt),
    submitFlat: (submission, receivedAt) =>
      database.transaction(submitFlat).immediate(submission, receivedAt),
    completionOf: (eventId) => (completionOf.get(eventId) as string | undefined) ?? null,
    count: () => count.get() as number,
  };
}

/** A flat body's `retained` is what was left when the tracker looked, two minutes by its recipe. */
const FLAT_RETENTION_SECONDS = 120;

function compareOutcomes(event: OutcomeEvent, earlier: string): SubmitResult {
  if (earlier === JSON.stringify(event.outcome)) return { id: event.id, status: 'duplicate' };
  return conflict(event, `already ended as ${earlier}; a completion has one outcome`);
}

function conflict(event: FeedbackEvent, what: string): SubmitResult {
  return { id: event.id, status: 'conflict', message: `Completion ${event.completionId} ${what}.` };
}
