import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { activateAdapter } from '../../trainer/coordinator/registry.ts';
import { defaultUpdateConfig } from '../../trainer/learning/config.ts';
import { openStore, type Store } from '../../trainer/store/store.ts';
import { openTinyEngine, type TinyEngine } from '../fixtures/tinyEngine.ts';
import { writeTinyAdapter } from '../fixtures/tinyModel.ts';

const WORKSPACE = 'default';

describe('activating a version that cannot be loaded', () => {
  let tiny: TinyEngine;
  let store: Store;
  const active = () => store.adapters.active(tiny.engine.model.hash, WORKSPACE);

  before(async () => {
    tiny = await openTinyEngine();
    store = openStore(join(tiny.folder, 'data'));
    const { hash, name, path } = tiny.engine.model;
    store.adapters.registerModel({ hash, name, path });
    commit(1);
    commit(2);
    writeTinyAdapter(join(store.adapterDir, '1.gguf'));
    writeFileSync(join(store.adapterDir, '2.gguf'), 'not an adapter');
  });
  after(async () => {
    store.close();
    await tiny.close();
  });

  function commit(version: number): void {
    const nothing = { eventIds: [], reason: '', seconds: {}, figures: {}, scores: null };
    store.runs.commit(
      {
        ...nothing,
        id: `run-${version}`,
        modelHash: tiny.engine.model.hash,
        workspaceKey: WORKSPACE,
        parent: version - 1,
        candidate: { version, file: `${version}.gguf`, scale: 1 },
        decision: 'promoted',
        config: defaultUpdateConfig(3),
      },
      null,
    );
  }

  it('leaves the one in service, at its scale', async () => {
    await activateAdapter(store, tiny.engine, 1, 0.5);
    await assert.rejects(activateAdapter(store, tiny.engine, 2, 0.25));
    assert.deepEqual([active(), tiny.engine.adapter.version, tiny.engine.adapter.scale], [1, 1, 0.5]);
    assert.equal(store.adapters.get(2)!.scale, 1);
  });

  it('leaves the one that was chosen while it was loaded', async () => {
    await activateAdapter(store, tiny.engine, 1);
    const broken = assert.rejects(activateAdapter(store, tiny.engine, 2));
    await activateAdapter(store, tiny.engine, 0);
    await broken;
    assert.deepEqual([active(), tiny.engine.adapter.version], [0, 0]);
  });
});
