import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { DATABASE_FILE } from '../../../trainer/store/database.ts';
import { MIGRATIONS } from '../../../trainer/store/migrations.ts';
import { openStore } from '../../../trainer/store/store.ts';

const STORE = join(import.meta.dirname, '..', '..', '..', 'trainer', 'store', 'store.ts');
/** Opens the store on a thread of its own. */
const OPEN = `
  const { workerData, parentPort } = require('node:worker_threads');
  import(workerData.store).then(({ openStore }) => {
    parentPort.postMessage('opening');
    openStore(workerData.dataDir).close();
  });`;
/** More than the thread needs from its word to the lock. */
const UNTIL_IT_WAITS_MS = 300;

describe("migrations of the companion's database", () => {
  it('are done once when two programs open an older one at once', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'hone-migrations-'));
    const database = new Database(join(dataDir, DATABASE_FILE));
    database.pragma('journal_mode = WAL');
    database.exec(MIGRATIONS[0]!);
    database.pragma('user_version = 1');
    database.exec('BEGIN IMMEDIATE');
    const worker = new Worker(OPEN, {
      eval: true,
      workerData: { store: pathToFileURL(STORE).href, dataDir },
    });
    const ended = once(worker, 'exit');
    await once(worker, 'message');
    await sleep(UNTIL_IT_WAITS_MS);
    for (const sql of MIGRATIONS.slice(1)) database.exec(sql);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
    assert.deepEqual(await ended, [0]);
    assert.equal(database.pragma('user_version', { simple: true }), MIGRATIONS.length);
    database.close();
    rmSync(dataDir, { recursive: true });
  });

  it('take the scale of a version for the one at which it served before scales were recorded', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'hone-migrations-'));
    const database = new Database(join(dataDir, DATABASE_FILE));
    for (const sql of MIGRATIONS.slice(0, 2)) database.exec(sql);
    database.exec(`
      PRAGMA user_version = 2;
      INSERT INTO models VALUES ('m', 'm', 'm');
      INSERT INTO adapters VALUES (1, 0, 'f', 'm', 'w', 'promoted', 0.5, '{}', 0, 0);`);
    for (const version of [0, 1])
      database
        .prepare(
          `INSERT INTO completions VALUES (?, 0, 'served', '', '', '', '', 0, 0, 0, 0, '', x'', '', NULL, 'm', ?,
            0.3, 1, 0, 1, NULL, x'', x'', 'stop', 1, '', 'none', '{}')`,
        )
        .run(`c${version}`, version);
    database.close();
    const store = openStore(dataDir);
    const scales = ['c0', 'c1'].map((id) => store.completions.get(id)!.adapterScale);
    assert.deepEqual(scales, [1, 0.5]);
    assert.deepEqual(store.completions.get('c1')!.modelLogprobs, []);
    store.close();
    rmSync(dataDir, { recursive: true });
  });

  it('leave adapters where they lie', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'hone-migrations-'));
    const database = new Database(join(dataDir, DATABASE_FILE));
    for (const sql of MIGRATIONS.slice(0, 3)) database.exec(sql);
    database.exec(`
      PRAGMA user_version = 3;
      INSERT INTO models VALUES ('m', 'm', 'm');
      INSERT INTO adapters VALUES (1, 0, 'adapter-1.gguf', 'm', 'w', 'promoted', 0.5, '{}', 0, 0);`);
    database.close();
    const store = openStore(dataDir);
    const path = join(store.adapterDir, store.adapters.get(1)!.file);
    assert.equal(path, join(dataDir, 'adapters', 'adapter-1.gguf'));
    store.close();
    rmSync(dataDir, { recursive: true });
  });
});
