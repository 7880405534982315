import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptScoresPath, tidyAdapters, tidyKeptScores } from '../../../trainer/coordinator/tidy.ts';
import { defaultUpdateConfig } from '../../../trainer/learning/config.ts';
import { openStore, type Store } from '../../../trainer/store/store.ts';
import { MODEL_HASH } from '../../fixtures/records.ts';

describe('tidying adapter files', () => {
  let dataDir: string;
  let store: Store;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'hone-tidy-'));
    store = openStore(dataDir);
    store.adapters.registerModel({ hash: MODEL_HASH, name: 'm', path: 'm.gguf' });
  });
  afterEach(() => {
    store.close();
    rmSync(dataDir, { recursive: true });
  });

  function make(decision: 'promoted' | 'rejected', count: number): void {
    for (let index = 0; index < count; index++) {
      const version = store.adapters.nextVersion();
      const file = `adapter-${String(version).padStart(4, '0')}.gguf`;
      for (const name of [file, `${file}.state`]) writeFileSync(join(store.adapterDir, name), '');
      store.runs.commit(
        {
          id: `run-${version}`,
          modelHash: MODEL_HASH,
          workspaceKey: 'default',
          parent: store.adapters.active(MODEL_HASH, 'default'),
          candidate: { version, file, scale: 1 },
          eventIds: [`event-${version}`],
          decision,
          reason: '',
          seconds: {},
          figures: {},
          scores: null,
          config: defaultUpdateConfig(3),
        },
        null,
      );
    }
  }
  const versionsOf = (ending: string) =>
    readdirSync(store.adapterDir)
      .filter((name) => name.endsWith(ending))
      .map((name) => Number(/\d+/.exec(name)![0]));

  it('keeps the newest served and refused files, and states where the next update may start', () => {
    make('rejected', 10);
    make('promoted', 4);
    tidyAdapters(store, new Set([14]));
    assert.deepEqual(versionsOf('.gguf'), [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    assert.deepEqual(versionsOf('.state'), [12, 13, 14]);
    assert.equal(store.adapters.get(1)!.collected, true);
    assert.equal(store.adapters.get(1)!.status, 'rejected', 'what is known of it stays');
  });

  it('never touches what is in service', () => {
    make('promoted', 105);
    store.adapters.activate(MODEL_HASH, 'default', 2);
    tidyAdapters(store, new Set([2]));
    assert.deepEqual(versionsOf('.gguf').slice(0, 2), [2, 6]);
    assert.deepEqual(versionsOf('.state'), [2, 103, 104, 105]);
  });

  it('leaves nothing of what the gate kept of other models', () => {
    tidyKeptScores(dataDir, MODEL_HASH);
    mkdirSync(join(dataDir, 'cache'));
    const paths = [keptScoresPath(dataDir, MODEL_HASH), keptScoresPath(dataDir, 'other')];
    for (const path of [...paths, `${paths[1]}.part`, join(dataDir, 'cache', 'another.gguf')])
      writeFileSync(path, '');
    tidyKeptScores(dataDir, MODEL_HASH);
    assert.deepEqual(readdirSync(join(dataDir, 'cache')).sort(), ['another.gguf', `gate-${MODEL_HASH}.gguf`]);
  });
});
