import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { statusOf } from '../../../trainer/coordinator/status.ts';
import { DATABASE_FILE } from '../../../trainer/store/database.ts';
import { MIGRATIONS } from '../../../trainer/store/migrations.ts';
import { DEFAULT_RETENTION } from '../../../trainer/store/prune.ts';
import { openStore, type Store } from '../../../trainer/store/store.ts';
import { completionRecord, MODEL_HASH, outcomeEvent, place } from '../../fixtures/records.ts';

const MANY_EVENTS = 100_000;
/** Counting the rows took 90 ms where this was measured; reading the counters takes 0.01 ms. */
const STATUS_LIMIT_MS = 5;
const DAY_MS = 86_400_000;

describe('counts of outcomes', () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'hone-counts-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const status = (store: Store) =>
    statusOf(
      store,
      { hash: MODEL_HASH, name: 'small' },
      { ready: [], open: 0, nextSettlement: Infinity },
      {
        progress: null,
        paused: false,
        automatic: true,
        pausedByUser: false,
        pausedBecause: null,
        trouble: null,
        learner: null,
        live: {},
        service: { key: 'default', version: 0, versions: new Map([['default', 0]]) },
      },
    );

  it('follow what is stored, dropped and deleted', () => {
    const store = openStore(dataDir);
    const submit = (index: number, heldOut: boolean, receivedAt: number): string => {
      const record = completionRecord(place(index, heldOut));
      store.recordCompletion(record);
      const event = outcomeEvent(record, { kind: 'accepted' });
      store.events.submit([event, event], receivedAt);
      return event.id;
    };
    const now = 200 * DAY_MS;
    const ids = [0, 1, 2, 3].map((index) => submit(index, false, index < 2 ? DAY_MS : now));
    [0, 1, 2].forEach((index) => submit(index, true, index < 1 ? DAY_MS : now));
    assert.deepEqual(store.facts.counts(), { heldOut: 3, trained: 0, dropped: {} });
    assert.equal(store.facts.undecidedCount(), 4);

    store.facts.drop([ids[0]!, ids[2]!].map((eventId) => ({ eventId, reason: 'expired' })));
    store.facts.drop([{ eventId: ids[0]!, reason: 'nothingToLearn' }]);
    assert.deepEqual(store.facts.counts(), { heldOut: 3, trained: 0, dropped: { expired: 2 } });
    assert.equal(store.facts.undecidedCount(), 2);

    store.prune({ ...DEFAULT_RETENTION, maxUnansweredDays: 1e6 }, now);
    assert.deepEqual(store.facts.counts(), { heldOut: 2, trained: 0, dropped: { expired: 1 } });
    assert.equal(store.facts.undecidedCount(), 1);
    store.close();
  });

  it('are there for events that were stored before they were kept', () => {
    const database = new Database(join(dataDir, DATABASE_FILE));
    database.exec(MIGRATIONS[0]!);
    database.pragma('user_version = 1');
    fill(database, 100);
    database.close();
    const store = openStore(dataDir);
    assert.deepEqual(store.facts.counts(), {
      heldOut: 20,
      trained: 40,
      dropped: { updateRejected: 20, expired: 20 },
    });
    store.close();
  });

  it(`make the status a matter of milliseconds with ${MANY_EVENTS} events`, () => {
    openStore(dataDir).close();
    const database = new Database(join(dataDir, DATABASE_FILE));
    fill(database, MANY_EVENTS);
    database.close();
    const store = openStore(dataDir);
    const milliseconds = Array.from({ length: 21 }, () => {
      const start = performance.now();
      assert.equal(status(store).stored, MANY_EVENTS);
      return performance.now() - start;
    });
    const median = milliseconds.toSorted((a, b) => a - b)[10]!;
    assert.equal(status(store).trained, 0.4 * MANY_EVENTS);
    assert.ok(median < STATUS_LIMIT_MS, `${median.toFixed(2)} ms`);
    store.close();
  });
});

/** Outcomes in turn: held out, trained, trained, refused, dropped. */
function fill(database: Database.Database, count: number): void {
  const insertEvent = database.prepare(`INSERT INTO events VALUES (NULL, ?, 'outcome', ?, 0, 0, ?)`);
  const insertOutcome = database.prepare(
    `INSERT INTO outcomes VALUES (?, ?, ?, 0, 'full', '{"kind":"accepted"}', 'event', 'one;', 0, ?, ?, ?)`,
  );
  const body = 'x'.repeat(600);
  const states = ['new', 'trained', 'trained', 'refused', 'dropped'];
  database.transaction(() => {
    for (let index = 0; index < count; index++) {
      const state = states[index % states.length]!;
      insertEvent.run(`event ${index}`, `completion ${index}`, body);
      insertOutcome.run(
        `event ${index}`,
        `completion ${index}`,
        index + 1,
        state === 'new' ? 1 : 0,
        state,
        state === 'dropped' ? 'expired' : null,
      );
    }
  })();
}
