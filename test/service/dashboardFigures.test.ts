import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as newId } from 'uuid';
import type { Bucket } from '../../extension/common/contracts/dashboard.ts';
import type { FeedbackEvent, Outcome, OutcomeEvent } from '../../extension/common/contracts/index.ts';
import { DASHBOARD_SQL } from '../../extension/node/dashboardFigures.ts';
import { Store } from '../../extension/node/store.ts';
import { StoreDatabase } from '../../extension/node/storeDatabase.ts';
import { outcomeEvent, shownCompletion } from '../fixtures/extensionRecords.ts';
import { fillStore } from '../fixtures/manyRecords.ts';

const WORKER = join(import.meta.dirname, '..', '..', 'extension', 'node', 'storeWorker.ts');
const MANY_EVENTS = 50_000;
/** Generous: a busy computer takes several times what a quiet one does. */
const MANY_LIMIT_MS = 5000;
const NOON = new Date(2026, 5, 15, 12).getTime();
/** Indices from which a statement reads all that it needs of a table. */
const OWN_INDICES: Record<string, string[]> = {
  shownTimes: ['outcome_figures'],
  outcomes: ['outcome_figures (at>? AND at<?)', 'retention_figures (completion_id=?)'],
  latencies: ['COVERING INDEX completion_figures (created_at>? AND created_at<?)'],
  versionChanges: ['COVERING INDEX completion_figures'],
  suggestions: ['completion_figures', 'one_outcome (completion_id=?)', 'one_correction (completion_id=?)'],
};
const HOUR_MS = 60 * 60 * 1000;

describe('figures of the dashboard', function () {
  this.timeout(60_000);
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hone-dashboard-'));
    path = join(folder, 'extension.sqlite');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const nothing = {
    ...{ requests: 1, shown: 1, judged: 0, taken: 0, silent: 0, suppressed: 0 },
    ...{ takenChars: 0, keptChars: 0 },
  };
  const cases: [name: string, change: Partial<OutcomeEvent>, counted: Partial<Bucket>][] = [
    ['accepted', {}, { judged: 1, taken: 1, takenChars: 10, keptChars: 10 }],
    [
      'accepted in part',
      { outcome: { kind: 'partiallyAccepted', chars: 4 } },
      { judged: 1, taken: 1, takenChars: 4, keptChars: 4 },
    ],
    [
      'typed out',
      { outcome: { kind: 'typedThrough', chars: 9 } },
      { judged: 1, taken: 1, takenChars: 9, keptChars: 9 },
    ],
    ['rejected', { outcome: { kind: 'rejected', how: 'escape' } }, { judged: 1 }],
    [
      'rejected as far as can be guessed',
      { outcome: { kind: 'rejected', how: 'movedAway' }, evidence: 'inferred' },
      {},
    ],
    ['ignored', { outcome: { kind: 'ignored', shownMs: 300 } }, {}],
    ['ignored, never shown', { outcome: { kind: 'ignored', shownMs: 0 }, shownMs: 0 }, { shown: 0 }],
    ['silent', { outcome: { kind: 'silent' }, shownText: '' }, { shown: 0, silent: 1 }],
    [
      'suppressed',
      { outcome: { kind: 'suppressed', by: 'noise' }, shownText: '' },
      { shown: 0, suppressed: 1 },
    ],
  ];
  for (const [name, change, counted] of cases) {
    it(`count what was ${name}`, () => {
      const event = { ...outcomeEvent(undefined, NOON - HOUR_MS), shownText: '0123456789', ...change };
      const { buckets } = figuresOf([event]);
      const { requests, shown, judged, taken, silent, suppressed, takenChars, keptChars } = buckets.at(-1)!;
      assert.deepEqual(
        { requests, shown, judged, taken, silent, suppressed, takenChars, keptChars },
        { ...nothing, ...counted },
      );
    });
  }

  it('take what is left of a text from the last look at it that says something', () => {
    const event = { ...outcomeEvent(undefined, NOON - HOUR_MS), shownText: '0123456789' };
    const look = (afterSeconds: 30 | 120 | 300, fraction: number | null): FeedbackEvent => ({
      ...{ v: 1, id: newId(), completionId: event.completionId, kind: 'retention' },
      ...{ at: NOON, afterSeconds, fraction },
    });
    const { buckets } = figuresOf([event, look(120, 0.5), look(30, 1), look(300, null)]);
    assert.equal(buckets.at(-1)!.keptChars, 5);
  });

  it('put everything on its day of this computer’s time', () => {
    const midnight = new Date(2026, 5, 15).getTime();
    const events = [midnight - 1, midnight, NOON].map((at) => outcomeEvent(undefined, at));
    const { buckets } = figuresOf(events, (store) => {
      store.recordCompletion({ ...shownCompletion('a', midnight - 1), latencyMs: 100 });
      for (const [index, id] of [...'bcd'].entries())
        store.recordCompletion({ ...shownCompletion(id, NOON - index), latencyMs: 10 * (index + 1) });
      store.addWritten(midnight, 30);
      store.addWritten(midnight, 12);
    });
    assert.deepEqual(
      buckets.slice(-2).map(({ requests, writtenChars, latency }) => [requests, writtenChars, latency]),
      [
        [1, 0, { p50: 100, p95: 100 }],
        [2, 42, { p50: 20, p95: 29 }],
      ],
    );
  });

  it('tell when another version began to serve, a return to an earlier one included', () => {
    const { versionChanges } = figuresOf([], (store) => {
      for (const [index, version] of [0, 0, 1, 1, 0].entries())
        store.recordCompletion({ ...shownCompletion(`${index}`, NOON + index), adapterVersion: version });
    });
    assert.deepEqual(versionChanges, [
      { at: NOON, version: 0 },
      { at: NOON + 2, version: 1 },
      { at: NOON + 4, version: 0 },
    ]);
  });

  it('list the newest suggestions first, with what became of them', () => {
    const rejected: Outcome = { kind: 'rejected', how: 'typedAgainst' };
    const { suggestions } = figuresOf(
      [
        { ...outcomeEvent('01900000-0000-7000-8000-000000000001', NOON), outcome: rejected },
        {
          ...{ v: 1, id: newId(), completionId: '01900000-0000-7000-8000-000000000001', at: NOON },
          ...{ kind: 'correction', typed: 'bar' },
        },
      ],
      (store) => {
        store.recordCompletion(shownCompletion('01900000-0000-7000-8000-000000000001', NOON));
        store.recordCompletion({
          ...shownCompletion('open', NOON + 1),
          shownText: 'x'.repeat(1000),
        });
      },
    );
    const [open, settled] = suggestions;
    assert.deepEqual([open!.outcome, open!.shownText.length, open!.shownChars], [null, 300, 1000]);
    assert.deepEqual([settled!.outcome, settled!.typed, settled!.kept], [rejected, 'bar', null]);
  });

  it('say since when something is stored, and nothing of an empty store', () => {
    assert.equal(figuresOf([]).since, null);
    assert.equal(figuresOf([outcomeEvent(undefined, 1000)]).since, 1000);
  });

  it('count what an earlier version of the store has kept', () => {
    new StoreDatabase(path).close();
    const older = new Database(path);
    older.exec(
      `DROP TABLE written; DROP INDEX outcome_figures; DROP INDEX retention_figures; DROP INDEX completion_figures;
       CREATE INDEX completions_by_time ON completions (created_at);`,
    );
    older.exec('ALTER TABLE deletions DROP COLUMN companion');
    for (const column of ['shown', 'taken_chars', 'judged', 'after_seconds', 'fraction'])
      older.exec(`ALTER TABLE events DROP COLUMN ${column}`);
    older.pragma('user_version = 3');
    const event = outcomeEvent(undefined, NOON);
    older
      .prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)')
      .run(event.id, event.completionId, 'outcome', NOON, 'accepted', JSON.stringify(event));
    older.close();
    const { taken, takenChars } = figuresOf([]).buckets.at(-1)!;
    assert.deepEqual([taken, takenChars], [1, event.shownText.length]);
  });

  it('go with everything that is deleted', () => {
    const store = new StoreDatabase(path);
    store.appendEvents('w', [outcomeEvent(undefined, NOON)]);
    store.addWritten(NOON, 10);
    store.deleteData({ kind: 'all' }, NOON);
    const { figures } = store.dashboard('30days', NOON, null)!;
    assert.deepEqual([figures.since, figures.buckets.at(-1)!.writtenChars], [null, 0]);
    store.close();
  });

  it('are read again only when something has changed', () => {
    const store = new StoreDatabase(path);
    const first = store.dashboard('30days', NOON, null)!;
    assert.equal(store.dashboard('30days', NOON + 1, first.revision), null);
    assert.notEqual(store.dashboard('90days', NOON, first.revision), null);
    store.recordCompletion(shownCompletion('a'));
    assert.notEqual(store.dashboard('30days', NOON, first.revision), null);
    for (const id of ['b', 'c']) store.recordCompletion(shownCompletion(id));
    const before = store.dashboard('30days', NOON, null)!;
    store.deleteData({ kind: 'event', id: 'b' }, NOON);
    assert.notEqual(store.dashboard('30days', NOON, before.revision), null, 'one from the middle is deleted');
    store.close();
  });

  it(`are there soon with ${MANY_EVENTS} events, on the store's own thread`, async () => {
    fillStore(path, MANY_EVENTS, 30);
    const store = new Store(WORKER, path, ({ kind }) => assert.fail(`The store is ${kind}.`));
    const { events } = (await store.call('dashboard', '30days', Date.now(), null))!.figures.counts;
    assert.ok(events >= MANY_EVENTS);
    for (const unit of ['30days', '90days', '50shown'] as const) {
      const start = performance.now();
      const { figures } = (await store.call('dashboard', unit, Date.now(), null))!;
      const ms = performance.now() - start;
      console.log(`      ${unit}: ${ms.toFixed(0)} ms, ${figures.buckets.length} points`);
      assert.ok(ms < MANY_LIMIT_MS);
    }
    await store.close();
  });

  it('are searched for in indices, table by table', () => {
    fillStore(path, 1000, 30);
    const database = new Database(path);
    database.exec('ANALYZE');
    for (const [name, sql] of Object.entries(DASHBOARD_SQL)) {
      const values = [...sql.matchAll(/\?/g)].map(() => 1);
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
      const whole = plan
        .map(({ detail }) => detail)
        .filter((detail) => /^SCAN (events|completions|written|later|settled)\b/.test(detail))
        .filter((detail) => !/ USING (COVERING )?INDEX /.test(detail));
      assert.deepEqual(whole, [], name);
      const used = plan.map(({ detail }) => detail).join('\n');
      for (const index of OWN_INDICES[name] ?? []) assert.ok(used.includes(index), `${name}: ${used}`);
    }
    database.close();
  });

  function figuresOf(events: FeedbackEvent[], more: (store: StoreDatabase) => void = () => undefined) {
    const store = new StoreDatabase(path);
    store.appendEvents('w', events);
    more(store);
    const { figures } = store.dashboard('30days', NOON, null)!;
    store.close();
    return figures;
  }
});
