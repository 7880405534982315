import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultUpdateConfig } from '../../../trainer/learning/config.ts';
import { openStore, type Store } from '../../../trainer/store/store.ts';
import type { RunRecord } from '../../../trainer/store/types.ts';
import { completionRecord, MODEL_HASH, outcomeEvent, place } from '../../fixtures/records.ts';

const OTHER_MODEL = 'b'.repeat(64);
const WORKSPACE = 'default';

describe('adapters and runs', () => {
  let dataDir: string;
  let store: Store;
  let number = 0;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'hone-registry-'));
    store = openStore(dataDir);
    store.adapters.registerModel({ hash: MODEL_HASH, name: 'small', path: 'small.gguf' });
    store.adapters.registerModel({ hash: OTHER_MODEL, name: 'large', path: 'large.gguf' });
    number = 0;
  });

  afterEach(() => {
    store.close();
    rmSync(dataDir, { recursive: true });
  });

  function event(): string {
    const record = completionRecord(place(number++, false));
    store.recordCompletion(record);
    const outcome = outcomeEvent(record, { kind: 'accepted' });
    store.events.submit([outcome], 1);
    return outcome.id;
  }

  function run(change: Partial<RunRecord> = {}): RunRecord {
    const version = store.adapters.nextVersion();
    return {
      id: `run-${version}-${number++}`,
      modelHash: MODEL_HASH,
      workspaceKey: WORKSPACE,
      parent: store.adapters.active(MODEL_HASH, WORKSPACE),
      candidate: { version, file: `adapter-${version}.gguf`, scale: 1 },
      eventIds: change.eventIds ?? [event()],
      decision: 'promoted',
      reason: 'better',
      seconds: { train: 1 },
      figures: { 'gate/gain_per_token': 0.1 },
      scores: { running: [], candidate: [] },
      config: defaultUpdateConfig(3),
      ...change,
    };
  }

  it('writes the run, the adapter, the events and the version in service together', () => {
    const record = run();
    assert.equal(store.runs.commit(record, { mean: 0.5, count: 1 }), true);
    assert.equal(store.adapters.active(MODEL_HASH, WORKSPACE), 1);
    assert.deepEqual(store.runs.runsOf(record.eventIds[0]!), [record.id]);
    assert.equal(store.facts.counts().trained, 1);
    assert.equal(store.facts.undecided().length, 0);
    assert.deepEqual(store.runs.baseline(MODEL_HASH), { mean: 0.5, count: 1 });
    const adapter = store.adapters.get(1)!;
    assert.equal(adapter.parent, 0);
    assert.equal(adapter.status, 'promoted');
    assert.equal(adapter.modelName, 'small');
    store.runs.addSeconds(record.id, 'swap', 0.25);
    assert.deepEqual(store.runs.last(MODEL_HASH)!.seconds, { train: 1, swap: 0.25 });
    assert.equal(store.runs.count('promoted'), 1);
  });

  it('trains one set of events on one parent once', () => {
    const rejected = run({ decision: 'rejected' });
    store.runs.commit(rejected, null);
    const again = run({ eventIds: rejected.eventIds });
    assert.throws(() => store.runs.commit(again, null), { code: 'SQLITE_CONSTRAINT_UNIQUE' });
    assert.equal(store.adapters.active(MODEL_HASH, WORKSPACE), 0, 'nothing of the refused transaction stays');
    assert.equal(store.adapters.get(2), null);
  });

  it('keeps a rejected candidate with its numbers, out of service, and never gives its version again', () => {
    store.runs.commit(run({ decision: 'rejected', reason: 'worse' }), null);
    assert.equal(store.adapters.active(MODEL_HASH, WORKSPACE), 0);
    assert.equal(store.adapters.get(1)!.status, 'rejected');
    assert.deepEqual(store.facts.counts().dropped, { updateRejected: 1 });
    assert.equal(store.adapters.nextVersion(), 2);
  });

  it('leaves the events of a failed run in the queue, any number of times', () => {
    const failed = run({ decision: 'failed', candidate: null });
    store.runs.commit(failed, null);
    store.runs.commit({ ...failed, id: 'again' }, null);
    assert.equal(store.facts.undecided().length, 1);
    assert.equal(store.runs.commit(run({ eventIds: failed.eventIds }), null), true);
    assert.equal(store.facts.undecided().length, 0);
  });

  it('does not promote over a version that was changed by hand meanwhile', () => {
    store.runs.commit(run(), null);
    const late = run({ parent: 1 });
    store.adapters.activate(MODEL_HASH, WORKSPACE, 0);
    assert.equal(store.runs.commit(late, null), false);
    assert.equal(store.facts.undecided().length, 1, 'its events are still there');
    assert.equal(store.adapters.active(MODEL_HASH, WORKSPACE), 0);
  });

  describe('activate', () => {
    it('names the versions that exist for one that does not', () => {
      store.runs.commit(run(), null);
      assert.throws(() => store.adapters.activate(MODEL_HASH, WORKSPACE, 7), {
        code: 'unknown_adapter',
        message: /no adapter 7.*0, 1/,
      });
    });

    it('names the model that a version belongs to', () => {
      store.runs.commit(run(), null);
      assert.throws(() => store.adapters.activate(OTHER_MODEL, WORKSPACE, 1), {
        code: 'adapter_other_model',
        message: /belongs to the model small/,
      });
      assert.equal(store.adapters.active(OTHER_MODEL, WORKSPACE), 0, 'each model has its own');
    });

    it('takes the base, a rejected version, and none whose file was deleted', () => {
      store.runs.commit(run(), null);
      store.runs.commit(run({ decision: 'rejected' }), null);
      store.adapters.activate(MODEL_HASH, WORKSPACE, 0);
      store.adapters.activate(MODEL_HASH, WORKSPACE, 2);
      assert.equal(store.adapters.active(MODEL_HASH, WORKSPACE), 2);
      assert.deepEqual(store.adapters.collectable(), [], 'what is in service is not collected');
      store.adapters.activate(MODEL_HASH, WORKSPACE, 1);
      assert.deepEqual(
        store.adapters.collectable().map((row) => row.version),
        [2],
      );
      store.adapters.markCollected(2);
      assert.throws(() => store.adapters.activate(MODEL_HASH, WORKSPACE, 2), { code: 'adapter_gone' });
    });
  });

  describe('roll back', () => {
    it('goes to the parent, then past what was rolled back before, then to the base, then says no', () => {
      store.runs.commit(run(), null);
      store.runs.commit(run(), null);
      assert.equal(store.adapters.rollBack(MODEL_HASH, WORKSPACE), 1);
      assert.equal(store.adapters.get(2)!.status, 'rolledBack');
      store.runs.commit(run(), null);
      assert.equal(store.adapters.get(3)!.parent, 1);
      assert.equal(store.adapters.rollBack(MODEL_HASH, WORKSPACE), 1);
      assert.equal(store.adapters.rollBack(MODEL_HASH, WORKSPACE), 0);
      assert.throws(() => store.adapters.rollBack(MODEL_HASH, WORKSPACE), { code: 'nothing_to_roll_back' });
    });
  });

  describe('of a workspace', () => {
    const RED = 'red';
    const active = (key: string) => store.adapters.active(MODEL_HASH, key);
    const own = (workspaceKey = RED) => run({ workspaceKey, parent: active(workspaceKey) });

    it('follow the shared one until there is one of its own', () => {
      store.runs.commit(run(), null);
      assert.deepEqual([active(RED), active('blue')], [1, 1]);
      assert.equal(store.runs.commit(own(), null), true);
      store.runs.commit(run(), null);
      assert.deepEqual([active(WORKSPACE), active(RED), active('blue')], [3, 2, 3]);
      assert.deepEqual(store.adapters.activeByWorkspace(MODEL_HASH), { [WORKSPACE]: 3, [RED]: 2 });
    });

    it('are not written down when the shared one that they were made from has changed', () => {
      store.runs.commit(run(), null);
      const late = own();
      store.adapters.activate(MODEL_HASH, WORKSPACE, 0);
      assert.equal(store.runs.commit(late, null), false);
    });

    it('roll back to the shared one as it is by then, and no further', () => {
      store.runs.commit(run(), null);
      store.runs.commit(own(), null);
      store.runs.commit(own(), null);
      store.runs.commit(run(), null);
      assert.equal(store.adapters.rollBack(MODEL_HASH, RED), 2);
      assert.equal(store.adapters.rollBack(MODEL_HASH, RED), 4);
      assert.throws(() => store.adapters.rollBack(MODEL_HASH, RED), { code: 'nothing_to_roll_back' });
      assert.deepEqual([active(WORKSPACE), active(RED)], [4, 4]);
    });

    it('are taken back for good when the fuse names an ancestor behind them', () => {
      store.runs.commit(run(), null);
      store.runs.commit(own(), null);
      store.runs.commit(own(), null);
      store.adapters.rollBackTo(MODEL_HASH, RED, 0);
      assert.deepEqual([active(WORKSPACE), active(RED)], [1, 1]);
      assert.deepEqual(
        store.adapters.list().map(({ status }) => status),
        ['promoted', 'rolledBack', 'rolledBack'],
      );
    });

    it('serve there alone; the shared ones serve anywhere', () => {
      store.runs.commit(run(), null);
      store.runs.commit(own(), null);
      for (const key of ['blue', WORKSPACE])
        assert.throws(() => store.adapters.activate(MODEL_HASH, key, 2), { code: 'adapter_other_workspace' });
      store.adapters.activate(MODEL_HASH, RED, 0);
      assert.deepEqual([active(RED), active(WORKSPACE)], [0, 1]);
      store.adapters.activate(MODEL_HASH, RED, 1);
      assert.deepEqual(store.adapters.activeByWorkspace(MODEL_HASH), { [WORKSPACE]: 1 });
    });
  });
});
