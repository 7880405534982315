import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../extension/common/contributions.ts';
import { Backend } from '../../extension/node/backend.ts';
import { Outbox } from '../../extension/node/outbox.ts';
import { pathsIn } from '../../extension/node/paths.ts';
import { Store, type StoreState } from '../../extension/node/store.ts';
import { outcomeEvent, shownCompletion } from '../fixtures/extensionRecords.ts';
import { faultFile, type StoreFault } from '../fixtures/faultyStoreWorker.ts';
import { until } from '../fixtures/until.ts';

const WORKER = join(import.meta.dirname, '..', 'fixtures', 'faultyStoreWorker.ts');

describe("the thread of the extension's store", () => {
  let folder: string;
  let path: string;
  let states: StoreState[];
  let store: Store;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hone-thread-'));
    path = join(folder, 'extension.sqlite');
    states = [];
  });
  afterEach(async () => {
    await store.close().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (downMs?: number) => (store = new Store(WORKER, path, (state) => states.push(state), downMs));
  const fail = (fault: StoreFault) => writeFileSync(faultFile(path), JSON.stringify(fault));
  const kinds = () => states.map(({ kind }) => kind);

  for (const how of ['throw', 'exit'] as const) {
    it(`is started again when it ends (${how}), and loses no call`, async () => {
      open();
      await store.call('appendEvents', 'w', [outcomeEvent()]);
      fail({ method: 'appendEvents', times: 1, how });
      const added = await Promise.all([
        store.call('recordCompletion', shownCompletion('a')),
        store.call('appendEvents', 'w', [outcomeEvent()]),
        store.call('appendEvents', 'w', [outcomeEvent()]),
      ]);
      assert.deepEqual(added.slice(1), [1, 1]);
      const { completions, events } = await store.call('counts');
      assert.deepEqual({ completions, events }, { completions: 1, events: 3 });
      assert.deepEqual(kinds(), ['restarting', 'working']);
    });
  }

  it('refuses the call that ends it twice, and goes on with the others', async () => {
    open();
    await store.call('counts');
    fail({ method: 'appendEvents', times: 2, how: 'throw' });
    const bad = store.call('appendEvents', 'w', [outcomeEvent()]);
    const good = store.call('appendEvents', 'w', [outcomeEvent()]);
    await assert.rejects(bad, /can't be used: told to end/);
    assert.equal(await good, 1);
    assert.deepEqual(kinds(), ['restarting', 'restarting', 'working']);
  });

  it('is down when it ends again and again, and is tried again later, also when the clock was set back', async () => {
    mkdirSync(path);
    open(100);
    await assert.rejects(store.call('counts'), /can't be used/);
    assert.deepEqual(kinds(), ['restarting', 'restarting', 'restarting', 'restarting', 'down']);
    await assert.rejects(store.call('counts'), /can't be used/);
    rmdirSync(path);
    const realNow = Date.now;
    Date.now = () => realNow() - 60 * 60 * 1000;
    try {
      await new Promise((resolve) => setTimeout(resolve, 150));
      assert.equal((await store.call('counts')).events, 0);
    } finally {
      Date.now = realNow;
    }
    assert.equal(kinds().at(-1), 'working');
  });

  it('takes nothing of what was forgotten while it was started again', async () => {
    open();
    const outbox = new Outbox({ store, window: 'w', submit: async () => undefined, log: () => undefined });
    await store.call('counts');
    fail({ method: 'appendEvents', times: 2, how: 'throw' });
    const lost = outbox.add([outcomeEvent()]);
    outbox.forget();
    await assert.rejects(lost, /told to end/);
    await outbox.add([outcomeEvent()]);
    await outbox.stop();
    assert.equal((await store.call('counts')).events, 1);
  });

  it('still does what was asked for when the store is closed while it is started again', async () => {
    open();
    await store.call('counts');
    fail({ method: 'appendEvents', times: 1, how: 'exit' });
    const added = store.call('appendEvents', 'w', [outcomeEvent()]);
    await until(() => states.length > 0, 'the end of the thread');
    await store.close();
    assert.equal(await added, 1);
    await assert.rejects(store.call('counts'), /is closed/);
  });

  it('is told in the log, and in the status when it stays down', async () => {
    open();
    await store.close();
    const log: string[] = [];
    const backend = await Backend.open({
      paths: { ...pathsIn(folder, '', {}), storeWorker: WORKER },
      window: 'w',
      settings: () => readSettings(() => undefined).settings,
      log: (level, message) => log.push(`${level}: ${message}`),
      onChange: () => undefined,
    });
    try {
      const counts = async () => (await backend.dashboard('30days', null))!.figures.counts;
      await counts();
      fail({ method: 'dashboard', times: 1, how: 'exit' });
      assert.equal((await counts()).events, 0);
      assert.ok(log.some((line) => /^warn: Store: .*exit code 3. Starting it again/.test(line)));
      assert.equal(backend.storeError, null);
      fail({ method: 'appendEvents', times: 9, how: 'throw' });
      const lost = Array.from({ length: 3 }, () => backend.add([outcomeEvent()]));
      await Promise.all(lost);
      assert.match(backend.storeError ?? '', /Feedback can't be stored: .*told to end/);
      assert.ok(log.some((line) => line.startsWith('error: Store: ')));
    } finally {
      await backend.close();
    }
  });
});
