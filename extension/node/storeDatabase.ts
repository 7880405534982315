import Database from 'better-sqlite3';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DashboardUnit, StoreFigures } from '../common/contracts/dashboard.ts';
import type { FeedbackEvent } from '../common/contracts/feedback.ts';
import type { Confidence } from '../common/suggestion/confidence.ts';
import { dataScopeSchema, type DataScope } from '../common/contracts/data.ts';
import { deleteExtensionRows, FORGOTTEN_MS } from '../common/data/extensionRows.ts';
import { clearDeletedBytes } from '../common/data/rowDatabase.ts';
import type { DayTally } from '../common/status/today.ts';
import { dashboardFigures, dashboardRevision } from './dashboardFigures.ts';
import { migrate } from './schema.ts';

/** Another window may hold the write lock for a commit; longer than this something is wrong. */
const BUSY_TIMEOUT_MS = 5000;
const BUSY_RETRY_MS = 20;
const DAY_MS = 24 * 60 * 60 * 1000;
/** How much is kept. Deleted rows' space is used again: the file stays as large as it was at most. */
const RETENTION: Retention = { days: 90, completions: 100_000, events: 300_000 };
/** A window that wasn't seen for this long is gone; its undelivered events are taken over. */
export const WINDOW_GONE_MS = 30_000;
const UNKNOWN_CONFIDENCE = { meanLogprob: null, minLogprob: null, firstProbability: null };

export interface ShownCompletion {
  id: string;
  createdAt: number;
  window: string;
  workspaceKey: string;
  relativePath: string;
  language: string;
  documentVersion: number;
  offset: number;
  /** After filters; empty when nothing was shown. */
  shownText: string;
  rawText: string;
  filters: string[];
  adapterVersion: number;
  model: string;
  latencyMs: number;
  /** In the shown text, or in all of it when nothing was shown; null: the companion told none. */
  confidence: Confidence | null;
}

export interface Delivery {
  sequence: number;
  eventId: string;
  attempts: number;
  /** The event as JSON. */
  body: string;
}

interface Retention {
  /** Age of everything but undelivered events. */
  days: number;
  completions: number;
  /** Events of every kind that the companion has acknowledged. */
  events: number;
}

export interface StoreCounts {
  completions: number;
  events: number;
  pending: number;
  refused: number;
  /** Outcome kind to count. */
  outcomes: Record<string, number>;
}

/** The extension's database. Synchronous: lives on its own thread, see storeWorker.ts. */
export class StoreDatabase {
  readonly #database: Database.Database;
  readonly #statements;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#database = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    useWal(this.#database);
    // What is acknowledged must outlive a power cut: WAL's own default doesn't wait for the disk.
    this.#database.pragma('synchronous = FULL');
    this.#database.pragma('foreign_keys = ON');
    // What is deleted is overwritten, not only let go of.
    this.#database.pragma('secure_delete = ON');
    migrate(this.#database);
    this.#statements = statementsOf(this.#database);
  }

  recordCompletion(completion: ShownCompletion): void {
    const { confidence, ...rest } = completion;
    const { meanLogprob, minLogprob, firstProbability } = confidence ?? UNKNOWN_CONFIDENCE;
    const filters = JSON.stringify(completion.filters);
    this.#statements.completion.run({ ...rest, filters, meanLogprob, minLogprob, firstProbability });
  }

  /**
   * Stores events and queues them for delivery. Returns how many were new; a second outcome of an id is not, nor is
   * what comes of a completion that was deleted.
   */
  appendEvents(window: string, events: readonly FeedbackEvent[]): number {
    const append = this.#database.transaction(() => {
      let added = 0;
      for (const event of events) {
        const outcome = event.kind === 'outcome' ? event.outcome.kind : null;
        const { id, completionId, kind, at } = event;
        if (this.#statements.isForgotten.get(completionId)) continue;
        const row = { id, completionId, kind, at, outcome, body: JSON.stringify(event) };
        if (this.#statements.event.run(row).changes === 0) continue;
        this.#statements.enqueue.run(id, window);
        added++;
      }
      return added;
    });
    // It reads first: begun as a reader, it could not write any more when another window has written meanwhile.
    return append.immediate();
  }

  /**
   * Deletes rows, and remembers that the companion has to delete as well, in one transaction. Made twice, it does no
   * harm.
   *
   * @param companion its address; empty: the one of this machine
   */
  deleteData(scope: DataScope, now: number, companion = ''): { completions: number; events: number } {
    return this.#database
      .transaction(() => {
        const deleted = deleteExtensionRows(this.#database, scope, now);
        this.#database
          .prepare('INSERT INTO deletions (scope, companion) VALUES (?, ?)')
          .run(JSON.stringify(scope), companion);
        return deleted;
      })
      .immediate();
  }

  /** False: another window reads the database, and the bytes of deleted rows are still there. */
  clearDeletedBytes(): boolean {
    return clearDeletedBytes(this.#database);
  }

  /** What companions still have to delete, oldest first. */
  openDeletions(): { sequence: number; scope: DataScope; companion: string }[] {
    const select = 'SELECT sequence, scope, companion FROM deletions ORDER BY sequence';
    const rows = this.#database.prepare(select).all();
    return (rows as { sequence: number; scope: string; companion: string }[]).map(({ scope, ...row }) => ({
      ...row,
      scope: dataScopeSchema.parse(JSON.parse(scope)),
    }));
  }

  /** The companion has deleted it. */
  deletionDone(sequence: number): void {
    this.#database.prepare('DELETE FROM deletions WHERE sequence = ?').run(sequence);
  }

  /** Says that the window lives, and takes over what windows that don't have left behind. Returns how many events. */
  heartbeat(window: string, now: number): number {
    return this.#database.transaction(() => {
      this.#statements.seen.run(window, now);
      this.#statements.dropWindows.run(now - WINDOW_GONE_MS);
      return this.#statements.adopt.run(window).changes;
    })();
  }

  closeWindow(window: string): void {
    this.#statements.closeWindow.run(window);
  }

  dueDeliveries(window: string, now: number, limit: number): Delivery[] {
    return this.#statements.due.all(window, now, limit) as Delivery[];
  }

  /** When the next delivery of the window is due; null: none waits. */
  nextDeliveryAt(window: string): number | null {
    return (this.#statements.nextDue.get(window) as { at: number | null }).at;
  }

  delivered(sequence: number): void {
    this.#statements.dequeue.run(sequence);
  }

  postpone(sequence: number, nextAt: number, error: string): void {
    this.#statements.postpone.run(nextAt, error, sequence);
  }

  refuse(sequence: number, now: number, error: string): void {
    this.#database.transaction(() => {
      this.#statements.refuse.run(now, error, sequence);
      this.#statements.dequeue.run(sequence);
    })();
  }

  counts(): StoreCounts {
    const single = (sql: string) => (this.#database.prepare(sql).get() as { n: number }).n;
    const outcomes = this.#database
      .prepare("SELECT outcome, count(*) AS n FROM events WHERE kind = 'outcome' GROUP BY outcome")
      .all() as { outcome: string; n: number }[];
    return {
      completions: single('SELECT count(*) AS n FROM completions'),
      events: single('SELECT count(*) AS n FROM events'),
      pending: single('SELECT count(*) AS n FROM outbox'),
      refused: single('SELECT count(*) AS n FROM refused'),
      outcomes: Object.fromEntries(outcomes.map(({ outcome, n }) => [outcome, n])),
    };
  }

  /** Suggestions that were judged from a time on, as the dashboard counts them. */
  judgedSince(at: number): DayTally {
    return this.#statements.judgedSince.get(at) as DayTally;
  }

  /** @param minute start of it, milliseconds since the epoch */
  addWritten(minute: number, chars: number): void {
    this.#statements.written.run(minute, chars);
  }

  /** Figures of the dashboard; null when nothing has changed since `revision`. */
  dashboard(
    unit: DashboardUnit,
    now: number,
    revision: string | null,
  ): { figures: StoreFigures; revision: string } | null {
    const current = `${unit} ${new Date(now).toDateString()} ${dashboardRevision(this.#database)}`;
    if (current === revision) return null;
    const figures = { ...dashboardFigures(this.#database, unit, now), counts: this.counts() };
    return { figures, revision: current };
  }

  /** Forgets what is old or too much, oldest first; never an event that is still on its way. */
  prune(now: number, limits: Partial<Retention> = {}): void {
    const { days, completions, events } = { ...RETENTION, ...limits };
    const before = now - days * DAY_MS;
    this.#database.transaction(() => {
      this.#statements.pruneEvents.run(before);
      this.#statements.pruneSurplusEvents.run(events);
      this.#statements.pruneRefused.run(before);
      this.#statements.pruneForgotten.run(now - FORGOTTEN_MS);
      this.#statements.pruneWritten.run(before);
      this.#statements.pruneCompletions.run(before);
      this.#statements.pruneSurplusCompletions.run(completions);
    })();
  }

  close(): void {
    this.#database.close();
  }
}

/** The switch to WAL does not wait for a lock as everything else does: a window that makes the file may hold one. */
function useWal(database: Database.Database): void {
  const end = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      database.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const busy = error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY';
      if (!busy || Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_RETRY_MS);
    }
  }
}

function statementsOf(database: Database.Database) {
  const prepare = (sql: string) => database.prepare(sql);
  return {
    completion: prepare(
      `INSERT OR IGNORE INTO completions VALUES (@id, @createdAt, @window, @workspaceKey, @relativePath, @language,
        @documentVersion, @offset, @shownText, @rawText, @filters, @adapterVersion, @model, @latencyMs,
        @meanLogprob, @minLogprob, @firstProbability)`,
    ),
    event: prepare('INSERT OR IGNORE INTO events VALUES (@id, @completionId, @kind, @at, @outcome, @body)'),
    written: prepare(
      'INSERT INTO written VALUES (?, ?) ON CONFLICT (minute) DO UPDATE SET chars = chars + excluded.chars',
    ),
    enqueue: prepare('INSERT INTO outbox (event_id, window) VALUES (?, ?)'),
    seen: prepare(
      'INSERT INTO windows VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at',
    ),
    dropWindows: prepare('DELETE FROM windows WHERE seen_at < ?'),
    adopt: prepare('UPDATE outbox SET window = ? WHERE window NOT IN (SELECT id FROM windows)'),
    closeWindow: prepare('DELETE FROM windows WHERE id = ?'),
    due: prepare(
      `SELECT sequence, event_id AS eventId, attempts, body FROM outbox JOIN events ON events.id = event_id
        WHERE window = ? AND next_at <= ? ORDER BY sequence LIMIT ?`,
    ),
    nextDue: prepare('SELECT min(next_at) AS at FROM outbox WHERE window = ?'),
    dequeue: prepare('DELETE FROM outbox WHERE sequence = ?'),
    postpone: prepare(
      'UPDATE outbox SET attempts = attempts + 1, next_at = ?, last_error = ? WHERE sequence = ?',
    ),
    refuse: prepare('INSERT OR REPLACE INTO refused SELECT event_id, ?, ? FROM outbox WHERE sequence = ?'),
    judgedSince: prepare(
      "SELECT coalesce(sum(judged), 0) AS taken, count(judged) AS judged FROM events WHERE at >= ? AND kind = 'outcome'",
    ),
    pruneEvents: prepare('DELETE FROM events WHERE at < ? AND id NOT IN (SELECT event_id FROM outbox)'),
    pruneSurplusEvents: prepare(
      `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id NOT IN (SELECT event_id FROM outbox)
        ORDER BY at DESC LIMIT -1 OFFSET ?)`,
    ),
    isForgotten: prepare('SELECT 1 FROM forgotten WHERE completion_id = ?'),
    pruneForgotten: prepare('DELETE FROM forgotten WHERE at < ?'),
    pruneRefused: prepare('DELETE FROM refused WHERE at < ?'),
    pruneWritten: prepare('DELETE FROM written WHERE minute < ?'),
    pruneCompletions: prepare('DELETE FROM completions WHERE created_at < ?'),
    pruneSurplusCompletions: prepare(
      'DELETE FROM completions WHERE id IN (SELECT id FROM completions ORDER BY created_at DESC LIMIT -1 OFFSET ?)',
    ),
  };
}
