import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DATABASE_FILE, openDatabase } from '../../../trainer/store/database.ts';
import { DEFAULT_RETENTION } from '../../../trainer/store/prune.ts';
import { openStore, type Store } from '../../../trainer/store/store.ts';
import {
  completionRecord,
  correctionEvent,
  outcomeEvent,
  place,
  retentionEvent,
} from '../../fixtures/records.ts';

const DAY_MS = 86_400_000;

describe('experience store', () => {
  let dataDir: string;
  let store: Store;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'hone-store-'));
    store = openStore(dataDir);
  });

  afterEach(() => {
    store.close();
    rmSync(dataDir, { recursive: true });
  });

  it('gives back a completion as it was recorded', () => {
    const record = completionRecord({
      generatedLogprobs: [-0.5, null, -2],
      ended: false,
      finishReason: 'length',
    });
    store.recordCompletion(record);
    const stored = store.completions.get(record.id)!;
    assert.deepEqual(stored.promptTokens, record.promptTokens);
    assert.deepEqual(stored.generatedTokens, record.generatedTokens);
    assert.deepEqual(stored.generatedLogprobs, [-0.5, null, -2]);
    assert.deepEqual(stored.sampling, record.sampling);
    assert.deepEqual(stored.latency, record.latency);
    assert.equal(stored.ended, false);
    assert.equal(stored.source, 'served');
    assert.equal(store.completions.get('nothing'), null);
  });

  it('keeps what was stored when it is opened again', () => {
    const record = completionRecord();
    store.recordCompletion(record);
    store.events.submit([outcomeEvent(record, { kind: 'accepted' })], 1);
    store.count('cancelled', 2);
    store.close();
    store = openStore(dataDir);
    assert.equal(store.completions.get(record.id)!.rawText, record.rawText);
    assert.equal(store.events.count(), 1);
    assert.equal(store.counter('cancelled'), 2);
  });

  it('commits events with a flush of the log, completions without', () => {
    const { durable, quick } = openDatabase(dataDir);
    assert.equal(durable.pragma('synchronous', { simple: true }), 2);
    assert.equal(quick.pragma('synchronous', { simple: true }), 1);
    assert.equal(durable.pragma('journal_mode', { simple: true }), 'wal');
    durable.close();
    quick.close();
  });

  describe('submitting', () => {
    it('stores an event once, whatever the number of times it comes', () => {
      const record = completionRecord();
      store.recordCompletion(record);
      const event = outcomeEvent(record, { kind: 'accepted' });
      assert.deepEqual(store.events.submit([event], 1), [{ id: event.id, status: 'stored' }]);
      assert.deepEqual(store.events.submit([event], 2), [{ id: event.id, status: 'duplicate' }]);
      assert.equal(store.events.count(), 1);
    });

    it('refuses a second, different outcome of a completion and takes an equal one as known', () => {
      const record = completionRecord();
      store.recordCompletion(record);
      store.events.submit([outcomeEvent(record, { kind: 'accepted' })], 1);
      const [other] = store.events.submit([outcomeEvent(record, { kind: 'rejected', how: 'escape' })], 2);
      assert.equal(other!.status, 'conflict');
      assert.match((other as { message: string }).message, /already ended as \{"kind":"accepted"\}/);
      const [same] = store.events.submit([outcomeEvent(record, { kind: 'accepted' })], 3);
      assert.equal(same!.status, 'duplicate');
      assert.equal(store.events.count(), 1);
    });

    it('stores the rest of a batch beside a conflict, and nothing of one that breaks off', () => {
      const [a, b] = [completionRecord(), completionRecord()];
      [a, b].forEach((record) => store.recordCompletion(record));
      store.events.submit([outcomeEvent(a, { kind: 'accepted' })], 1);
      const results = store.events.submit(
        [outcomeEvent(a, { kind: 'silent' }), outcomeEvent(b, { kind: 'accepted' })],
        2,
      );
      assert.deepEqual(
        results.map((result) => result.status),
        ['conflict', 'stored'],
      );
      const bad = { ...correctionEvent(b.id, 'x'), at: undefined as unknown as number };
      const good = retentionEvent(b.id, 120, 1);
      assert.throws(() => store.events.submit([good, bad], 3));
      assert.equal(store.events.submit([good], 4)[0]!.status, 'stored');
    });

    it('takes later facts in any order, once each', () => {
      const record = completionRecord(place(0, false));
      store.recordCompletion(record);
      store.events.submit([retentionEvent(record.id, 120, 0.5), correctionEvent(record.id, 'two;')], 1);
      store.events.submit([outcomeEvent(record, { kind: 'accepted' })], 2);
      const [facts] = store.facts.undecided();
      assert.deepEqual(facts!.retention, { fraction: 0.5, settled: true });
      assert.deepEqual(facts!.correction, { typed: 'two;' });
      assert.equal(store.events.submit([correctionEvent(record.id, 'three')], 3)[0]!.status, 'conflict');
      assert.equal(store.events.submit([retentionEvent(record.id, 120, 0.4)], 3)[0]!.status, 'conflict');
      assert.equal(store.events.submit([retentionEvent(record.id, 600, 0.4)], 3)[0]!.status, 'stored');
      assert.deepEqual(store.facts.undecided()[0]!.retention, { fraction: 0.4, settled: true });
    });

    it('takes a flat body after a later fact about its completion, which stays as it was told', () => {
      const record = completionRecord(place(0, false));
      store.recordCompletion(record);
      store.events.submit([retentionEvent(record.id, 120, 0.5), correctionEvent(record.id, 'two;')], 1);
      const outcome = outcomeEvent(record, { kind: 'accepted' }, { id: `flat:${record.id}` });
      const submission = { body: {}, outcome, retained: 1, typed: 'three;', client: null };
      assert.equal(store.events.submitFlat(submission, 2).status, 'stored');
      assert.equal(store.events.submitFlat(submission, 3).status, 'duplicate');
      const [facts] = store.facts.undecided();
      assert.deepEqual(facts!.retention, { fraction: 0.5, settled: true });
      assert.deepEqual(facts!.correction, { typed: 'two;' });
    });

    it('tells "asked and unknown" from "not asked yet"', () => {
      const record = completionRecord(place(0, false));
      store.recordCompletion(record);
      store.events.submit([outcomeEvent(record, { kind: 'accepted' })], 1);
      assert.equal(store.facts.undecided()[0]!.retention, null);
      assert.equal(store.facts.undecided()[0]!.correction, null);
      store.events.submit([retentionEvent(record.id, 30, 1)], 1);
      const early = store.facts.undecided()[0]!.retention;
      assert.deepEqual(early, { fraction: 1, settled: false }, 'thirty seconds do not settle it');
      store.events.submit([retentionEvent(record.id, 120, null), correctionEvent(record.id, null)], 1);
      assert.deepEqual(store.facts.undecided()[0]!.retention, { fraction: 1, settled: true });
      assert.deepEqual(store.facts.undecided()[0]!.correction, { typed: null });
    });

    it('leaves held-out events out of the queue', () => {
      const [kept, held] = [completionRecord(place(0, false)), completionRecord(place(0, true))];
      [kept, held].forEach((record) => store.recordCompletion(record));
      store.events.submit(
        [outcomeEvent(kept, { kind: 'accepted' }), outcomeEvent(held, { kind: 'accepted' })],
        1,
      );
      assert.deepEqual(
        store.facts.undecided().map((facts) => facts.completionId),
        [kept.id],
      );
      assert.deepEqual(
        store.facts.heldOut(10).map((facts) => facts.completionId),
        [held.id],
      );
      assert.deepEqual(store.facts.counts(), { heldOut: 1, trained: 0, dropped: {} });
      assert.equal(store.facts.undecidedCount(), 1);
    });
  });

  describe('joining feedback without an id', () => {
    it('finds the newest completion without an outcome by prompt and text', () => {
      const older = completionRecord({ createdAt: 1 });
      const newer = completionRecord({ createdAt: 2 });
      [older, newer].forEach((record) => store.recordCompletion(record));
      assert.equal(store.completions.findByPrompt(['const a = '], 'one;'), newer.id);
      store.events.submit([outcomeEvent(newer, { kind: 'accepted' })], 1);
      assert.equal(store.completions.findByPrompt(['const a = '], 'one;'), older.id);
      assert.equal(store.completions.findByPrompt(['const b = '], 'one;'), null);
      assert.equal(store.completions.findByPrompt(['const a = '], 'two;'), null);
    });

    it('knows the prompt as the client sent it, and text that the client trimmed', () => {
      const record = completionRecord({ requestPrompt: 'P<|fim|>S', rawText: 'one;  ' });
      store.recordCompletion(record);
      assert.equal(store.completions.findByPrompt(['P<|fim|>S'], 'one;'), record.id);
      assert.equal(store.completions.findByPrompt(['P<|fim|>S'], ''), null);
    });
  });

  it('finds the request before in the same document and session', () => {
    const first = completionRecord({ createdAt: 1, offset: 10, promptText: 'first' });
    const elsewhere = completionRecord({ createdAt: 2, relativePath: 'src/b.ts' });
    const otherSession = completionRecord({ createdAt: 3, session: 'other' });
    const second = completionRecord({ createdAt: 4, offset: 20 });
    [first, elsewhere, otherSession, second].forEach((record) => store.recordCompletion(record));
    const previous = store.completions.previousInDocument(store.completions.get(second.id)!);
    assert.equal(previous!.offset, 10);
    assert.equal(previous!.promptText, 'first');
    assert.equal(store.completions.previousInDocument(store.completions.get(first.id)!), null);
  });

  describe('retention', () => {
    it('deletes by age, and completions without an outcome earlier', () => {
      const now = 100 * DAY_MS;
      const old = completionRecord({ createdAt: 9 * DAY_MS });
      const unanswered = completionRecord({ createdAt: 92 * DAY_MS });
      const answered = completionRecord({ createdAt: 92 * DAY_MS });
      [old, unanswered, answered].forEach((record) => store.recordCompletion(record));
      store.events.submit([outcomeEvent(old, { kind: 'accepted' })], 9 * DAY_MS);
      store.events.submit([outcomeEvent(answered, { kind: 'accepted' })], 92 * DAY_MS);
      assert.equal(store.prune(DEFAULT_RETENTION, now), 2);
      assert.equal(store.completions.get(old.id), null);
      assert.equal(store.completions.get(unanswered.id), null);
      assert.notEqual(store.completions.get(answered.id), null);
      assert.equal(store.events.count(), 1);
    });

    it('deletes the oldest until the size fits', () => {
      const text = 'x'.repeat(4000);
      for (let index = 0; index < 600; index++)
        store.recordCompletion(completionRecord({ createdAt: index + 1, promptText: text + index }));
      const newest = completionRecord({ createdAt: 1_000_000 });
      store.recordCompletion(newest);
      const deleted = store.prune({
        ...DEFAULT_RETENTION,
        maxUnansweredDays: 1e6,
        maxAgeDays: 1e6,
        maxBytes: 1_500_000,
      });
      assert.ok(deleted >= 200 && deleted < 601, `${deleted} deleted`);
      assert.notEqual(store.completions.get(newest.id), null);
    });
  });

  describe('trouble with the folder', () => {
    it('says so when the folder is a file', () => {
      const path = join(dataDir, 'file');
      writeFileSync(path, '');
      assert.throws(() => openStore(path), { code: 'data_dir_unusable', message: /--data-dir/ });
    });

    it('says so when the database is damaged', () => {
      const other = join(dataDir, 'damaged');
      openStore(other).close();
      writeFileSync(
        join(other, DATABASE_FILE),
        'this is no database, however long one looks at it. '.repeat(100),
      );
      assert.throws(() => openStore(other), { code: 'data_dir_unusable' });
    });

    it('refuses the database of a newer version and leaves it as it is', () => {
      const other = join(dataDir, 'newer');
      openStore(other).close();
      const database = new Database(join(other, DATABASE_FILE));
      database.pragma('user_version = 99');
      database.close();
      assert.throws(() => openStore(other), { code: 'data_dir_unusable', message: /newer version/ });
    });
  });
});
