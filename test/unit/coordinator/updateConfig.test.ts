import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { updateConfigOf } from '../../../trainer/coordinator/update.ts';
import { trainingSettingsSchema } from '../../../trainer/coordinator/settings.ts';
import { defaultFirstLayer, defaultUpdateConfig } from '../../../trainer/learning/config.ts';
import { openStore, type Store } from '../../../trainer/store/store.ts';
import { MODEL_HASH } from '../../fixtures/records.ts';
import { temporaryFolder } from '../../fixtures/tinyEngine.ts';

const LAYERS = 30;

describe('the layers that learn', () => {
  let dataDir: string;
  let store: Store;
  beforeEach(() => {
    dataDir = temporaryFolder();
    store = openStore(dataDir);
    store.adapters.registerModel({ hash: MODEL_HASH, name: 'model', path: 'model.gguf' });
  });
  afterEach(() => {
    store.close();
    rmSync(dataDir, { recursive: true });
  });

  function promote(version: number, firstLayer: number): void {
    const written = store.runs.commit(
      {
        id: `run ${version}`,
        modelHash: MODEL_HASH,
        workspaceKey: 'default',
        parent: version - 1,
        candidate: { version, file: `${version}.gguf`, scale: 1 },
        eventIds: [`event ${version}`],
        decision: 'promoted',
        reason: '',
        seconds: {},
        figures: {},
        scores: null,
        config: { ...defaultUpdateConfig(LAYERS), firstLayer },
      },
      null,
    );
    assert.equal(written, true);
  }
  const firstLayer = (update: object = {}, modelHash = MODEL_HASH): number =>
    updateConfigOf({
      store,
      engine: { model: { hash: modelHash, layers: LAYERS } },
      settings: trainingSettingsSchema.parse({ update }),
    }).firstLayer;

  it('are the top third of a model, at least one', () => {
    assert.equal(firstLayer(), 20);
    assert.deepEqual([28, 3, 1].map(defaultFirstLayer), [19, 2, 0]);
  });

  it('are those of the adapter in service, which knows nothing in others', () => {
    promote(1, 24);
    promote(2, 24);
    assert.equal(firstLayer(), 24);
    assert.equal(firstLayer({ firstLayer: 12 }), 12, 'but for what is configured');
    assert.equal(firstLayer({}, 'b'.repeat(64)), 20, 'of another model');
    store.adapters.activate(MODEL_HASH, 'default', 0);
    assert.equal(firstLayer(), 20, 'with none in service');
  });
});
