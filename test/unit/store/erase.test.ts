import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { defaultUpdateConfig } from '../../../trainer/learning/config.ts';
import { DATABASE_FILE } from '../../../trainer/store/database.ts';
import { openStore, type Store } from '../../../trainer/store/store.ts';
import type { RunDecision } from '../../../extension/common/contracts/index.ts';
import {
  completionRecord,
  correctionEvent,
  MODEL_HASH,
  outcomeEvent,
  place,
} from '../../fixtures/records.ts';

const WORKSPACE = 'default';
const NOW = Date.now();
const DAY_MS = 24 * 60 * 60 * 1000;

describe('what a deletion takes out of the store', () => {
  let dataDir: string;
  let store: Store;
  let places = 0;

  const open = (): void => {
    dataDir = mkdtempSync(join(tmpdir(), 'hone-erase-'));
    store = openStore(dataDir);
    store.adapters.registerModel({ hash: MODEL_HASH, name: 'small', path: 'small.gguf' });
    places = 0;
  };
  const close = (): void => {
    store.close();
    rmSync(dataDir, { recursive: true });
  };
  beforeEach(open);
  afterEach(close);

  function event(workspaceKey = 'mine', createdAt = NOW): string {
    const record = completionRecord({ ...place(places++, false), workspaceKey, createdAt });
    store.recordCompletion(record);
    const outcome = outcomeEvent(record, { kind: 'accepted' }, { workspaceKey });
    store.events.submit([outcome], NOW);
    return outcome.id;
  }
  /** An update of the version in service; returns the version that it made. */
  function update(eventIds: string[], decision: RunDecision = 'promoted'): number {
    const version = store.adapters.nextVersion();
    const run = {
      id: `run-${version}`,
      modelHash: MODEL_HASH,
      workspaceKey: WORKSPACE,
      parent: active(),
      candidate: { version, file: `default/global_step_${version}/a.gguf`, scale: 1 },
      eventIds,
      decision,
      reason: 'because',
      seconds: {},
      figures: { 'losses/policy_loss': 1 },
      scores: null,
      config: defaultUpdateConfig(3),
    };
    assert.ok(store.runs.commit(run, { mean: 1, count: 1 }));
    return version;
  }
  const active = (): number => store.adapters.active(MODEL_HASH, WORKSPACE);
  const waiting = (): string[] => store.facts.undecided().map(({ eventId }) => eventId);
  const forget = (id: string) => store.erasure.rows({ kind: 'event', id }, NOW);

  it('leaves what did not learn from it as it was', () => {
    const [a, b] = [event(), event()];
    update([a]);
    const erased = forget(b);
    assert.deepEqual(erased, { completions: 1, events: 1, versions: [], requeued: 0 });
    assert.equal(active(), 1);
    assert.deepEqual(store.runs.baseline(MODEL_HASH), { mean: 1, count: 1 });
  });

  it('takes out a refused candidate that learned from it, and what learned on top of a dropped one', () => {
    const [a, b, c, d] = [event(), event(), event(), event()];
    update([a]);
    update([b, c], 'rejected');
    update([d]);
    assert.deepEqual(forget(b).versions, [2]);
    assert.equal(active(), 3);
    assert.deepEqual(waiting(), [c]);
    assert.deepEqual(forget(a).versions, [1, 3]);
    assert.equal(active(), 0);
    assert.deepEqual(waiting(), [c, d]);
    assert.equal(store.runs.baseline(MODEL_HASH), null, 'the mean of the rewards had seen it');
  });

  it('gives no number of a dropped version again, and says why it can not be used', () => {
    const a = event();
    update([a]);
    forget(a);
    assert.equal(store.adapters.nextVersion(), 2);
    assert.throws(
      () => store.adapters.activate(MODEL_HASH, WORKSPACE, 1),
      /with the data that it had learned/,
    );
  });

  it('goes back past versions that were taken back or whose files are gone, and relearns what those knew', () => {
    const [a, b, c, d] = [event(), event(), event(), event()];
    update([a]);
    update([b]);
    store.adapters.setStatus(2, 'rolledBack');
    update([c]);
    store.adapters.markCollected(1);
    update([d]);
    assert.deepEqual(forget(d).versions, [4]);
    assert.equal(active(), 3);
    // Version 1 is long deleted, 2 was not wanted: what 1 knew has to be learned again, what 2 knew doesn't.
    assert.deepEqual(forget(c).versions, [1, 3]);
    assert.equal(active(), 0);
    assert.deepEqual(waiting(), [a]);
    assert.ok(store.runs.list().some((run) => run.version === 2));
  });

  it('keeps an event out of the queue that another update has used', () => {
    const [a, b] = [event(), event()];
    update([a, b]);
    update([b]);
    store.adapters.activate(MODEL_HASH, WORKSPACE, 0);
    const apart = update([b]);
    forget(a);
    assert.equal(active(), apart);
    assert.deepEqual(waiting(), []);
  });

  it('counts an old event of an unknown workspace as one of the workspace that is deleted', () => {
    const [old, other] = [event('old'), event('other')];
    update([old]);
    update([other]);
    const raw = new Database(join(dataDir, DATABASE_FILE));
    raw.exec("UPDATE trained SET workspace_key = NULL WHERE run_id = 'run-1'");
    raw.close();
    const erased = store.erasure.rows({ kind: 'workspace', key: 'third' }, NOW);
    assert.deepEqual([erased.versions, erased.events], [[1, 2], 0]);
  });

  it('knows the workspace of what an adapter learned after the event itself is pruned', () => {
    update([event('mine')]);
    update([event('other')]);
    store.prune(undefined, NOW + 365 * DAY_MS);
    assert.equal(store.events.count(), 0);
    assert.deepEqual(store.erasure.rows({ kind: 'workspace', key: 'other' }, NOW).versions, [2]);
    assert.equal(active(), 1);
  });

  it('remembers ids for a day, of one suggestion always, of many only those that more may come of', () => {
    const forgotten = (): number => {
      const raw = new Database(join(dataDir, DATABASE_FILE), { readonly: true });
      const count = raw.prepare('SELECT count(*) FROM forgotten').pluck().get() as number;
      raw.close();
      return count;
    };
    const old = completionRecord({ createdAt: NOW - 3 * DAY_MS });
    store.recordCompletion(old);
    store.events.submit([correctionEvent(old.id, 'x')], NOW - 3 * DAY_MS);
    event();
    store.erasure.rows({ kind: 'all' }, NOW);
    assert.equal(forgotten(), 2, 'completion and event of the new one');
    store.prune(undefined, NOW + 2 * DAY_MS);
    assert.equal(forgotten(), 0);
  });

  it('leaves no adapter that saw a forgotten event in service, whatever was trained and taken back before', () => {
    const step = fc.record({
      events: fc.integer({ min: 1, max: 3 }),
      back: fc.boolean(),
      refused: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), fc.nat(), (steps, pick) => {
        close();
        open();
        const all: string[] = [];
        for (const { events, back, refused } of steps) {
          const ids = Array.from({ length: events }, () => event());
          all.push(...ids);
          update(ids, refused ? 'rejected' : 'promoted');
          if (back && active() > 0) store.adapters.rollBack(MODEL_HASH, WORKSPACE);
        }
        const chosen = all[pick % all.length]!;
        const saw = new Set(store.runs.runsOf(chosen));
        const sawVersions = store.runs
          .list()
          .filter((run) => saw.has(run.id))
          .map((run) => run.version);
        forget(chosen);
        for (let version = active(); version > 0; version = store.adapters.get(version)!.parent) {
          assert.ok(!sawVersions.includes(version), `${version} saw it`);
          assert.equal(store.adapters.get(version)!.collected && version === active(), false);
        }
        assert.deepEqual(store.runs.runsOf(chosen), []);
        assert.ok(!waiting().includes(chosen));
      }),
      { numRuns: 20 },
    );
  });
});
