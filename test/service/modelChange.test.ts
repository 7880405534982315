import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadActive } from '../../trainer/coordinator/registry.ts';
import { defaultUpdateConfig } from '../../trainer/learning/config.ts';
import { openStore, type Store } from '../../trainer/store/store.ts';
import { openTinyEngine, quiet, request, type TinyEngine } from '../fixtures/tinyEngine.ts';
import { writeTinyAdapter } from '../fixtures/tinyModel.ts';

describe('another model over the same data folder', () => {
  let first: TinyEngine;
  let second: TinyEngine;
  let store: Store;

  before(async () => {
    first = await openTinyEngine({ seed: 1 });
    // Of the same shapes: an adapter of the first would load, and make nonsense.
    second = await openTinyEngine({ seed: 2 });
    store = openStore(join(first.folder, 'data'));
    await serve(first);
    learn(first, 1);
  });
  after(async () => {
    store.close();
    await first.close();
    await second.close();
  });

  async function serve({ engine }: TinyEngine): Promise<void> {
    const { hash, name, path } = engine.model;
    store.adapters.registerModel({ hash, name, path });
    assert.equal(await loadActive(store, engine, quiet), null);
  }

  function learn({ engine }: TinyEngine, version: number): void {
    writeTinyAdapter(join(store.adapterDir, `${version}.gguf`), { seed: version });
    const nothing = { eventIds: [], reason: '', seconds: {}, figures: {}, scores: null };
    store.runs.commit(
      {
        ...nothing,
        id: `run-${version}`,
        modelHash: engine.model.hash,
        workspaceKey: 'default',
        parent: 0,
        candidate: { version, file: `${version}.gguf`, scale: 1 },
        decision: 'promoted',
        config: defaultUpdateConfig(3),
      },
      null,
    );
  }

  const completion = async ({ engine }: TinyEngine) =>
    (await engine.generate(request(engine, 'const a = '))).tokens.map(({ id }) => id);

  it('is served without what the first one learned, which is kept', async () => {
    const plain = await completion(second);
    await serve(second);
    assert.equal(second.engine.adapter.version, 0);
    assert.deepEqual(await completion(second), plain);
    assert.ok(existsSync(join(store.adapterDir, '1.gguf')));
  });

  it('learns beside it, and each finds its own again', async () => {
    learn(second, 2);
    await serve(second);
    assert.equal(second.engine.adapter.version, 2);
    const plain = await completion(first);
    await serve(first);
    assert.equal(first.engine.adapter.version, 1);
    assert.notDeepEqual(await completion(first), plain);
  });
});
