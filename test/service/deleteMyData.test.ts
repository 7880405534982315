import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { v7 as newId } from 'uuid';
import { readSettings } from '../../extension/common/contributions.ts';
import { Backend } from '../../extension/node/backend.ts';
import type { ExportManifest } from '../../extension/common/contracts/data.ts';
import { runHoneCommand } from '../../extension/node/honeCommand.ts';
import { isAlive } from '../../extension/node/companionLock.ts';
import { pathsIn, type Paths } from '../../extension/node/paths.ts';
import { StoreDatabase } from '../../extension/node/storeDatabase.ts';
import { outcomeEvent, shownCompletion } from '../fixtures/extensionRecords.ts';
import { unlisted } from '../fixtures/telemetry.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';
import { until } from '../fixtures/until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const STORE = join(ROOT, 'extension', 'node', 'storeDatabase.ts');
const CANARY = 'quetzalcoatlXiuhtecuhtli';
const PATIENCE_MS = 40_000;

describe('"Delete My Data" without an editor', function () {
  this.timeout(120_000);
  let folder: string;
  let data: string;
  let paths: Paths;
  let backend: Backend;
  let pid: number | undefined;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'hone-delete-'));
    writeTinyModel(join(folder, 'tiny.gguf'));
  });
  beforeEach(async () => {
    data = mkdtempSync(join(folder, 'data-'));
    paths = {
      ...pathsIn(data, '', { HONE_COMPANION: join(ROOT, 'trainer', 'main.ts') }),
      storeWorker: join(ROOT, 'extension', 'node', 'storeWorker.ts'),
    };
    await open();
  });
  afterEach(async () => {
    await backend.close();
    if (pid !== undefined && isAlive(pid)) process.kill(pid, 'SIGKILL');
    pid = undefined;
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function open(): Promise<void> {
    const settings = {
      ...readSettings(() => undefined).settings,
      ...{ modelPath: join(folder, 'tiny.gguf'), gpu: 'cpu' as const, threads: 1 },
    };
    backend = await Backend.open({
      paths,
      window: newId(),
      settings: () => settings,
      log: () => undefined,
      onChange: () => undefined,
    });
    backend.connection.onState((state) => {
      if (state.kind === 'ready') pid = state.pid;
    });
  }
  async function ready(): Promise<void> {
    backend.start();
    await until(() => backend.client !== null, 'the companion', PATIENCE_MS);
  }
  /** A suggestion in a workspace, as provider and tracker tell of it. */
  async function suggestion(workspaceKey: string): Promise<string> {
    const prompt = `const ${CANARY} = ${workspaceKey}`;
    const body = { prompt, suffix: '', max_tokens: 2, workspace: workspaceKey, session: 's' };
    const id = backend.client
      ? (await backend.client.complete(body, new AbortController().signal)).id
      : newId();
    backend.record({ ...shownCompletion(id), shownText: CANARY, rawText: CANARY, workspaceKey });
    const event = { ...outcomeEvent(id, Date.now()), shownText: CANARY, workspaceKey };
    const typed = {
      v: 1,
      id: newId(),
      completionId: id,
      at: Date.now(),
      kind: 'correction',
      typed: CANARY,
    } as const;
    await backend.add([event, typed]);
    return id;
  }
  const counts = async () => (await backend.dashboard('30days', null))!.figures.counts;
  const pending = async () => (await counts()).pending;
  const filesWith = (text: string): string[] =>
    readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(text));

  it('leaves no byte of anything in either database, nor in the log', async () => {
    await ready();
    await suggestion('a');
    await suggestion('b');
    await until(async () => (await pending()) === 0, 'delivery', PATIENCE_MS);
    writeFileSync(paths.companionLog, CANARY, { flag: 'a' });
    assert.ok(filesWith(CANARY).length >= 3);
    const files = filesWith('').map((path) => relative(data, path).replaceAll('\\', '/'));
    assert.ok(files.includes('tokens.json'));
    assert.deepEqual(unlisted(files), [], 'TELEMETRY.md lists every file');
    const deletion = await backend.deleteData({ kind: 'all' });
    assert.deepEqual([deletion?.completions, deletion?.events], [2, 4]);
    assert.deepEqual(filesWith(CANARY), []);
  });

  it('deletes one workspace, and one suggestion, and leaves the rest', async () => {
    await ready();
    const ids = [await suggestion('a'), await suggestion('b'), await suggestion('b')];
    await until(async () => (await pending()) === 0, 'delivery', PATIENCE_MS);
    assert.equal((await backend.deleteData({ kind: 'workspace', key: 'a' }))?.completions, 1);
    assert.equal((await backend.deleteData({ kind: 'event', id: ids[1]! }))?.completions, 1);
    const { completions, events } = await counts();
    assert.deepEqual({ completions, events }, { completions: 1, events: 2 });
    assert.equal((await backend.client!.status()).stored, 2);
    // A window that still follows it.
    await backend.add([outcomeEvent(ids[1], Date.now())]);
    assert.equal((await counts()).events, 2);
  });

  it('comes after an export, which holds it all', async () => {
    await ready();
    const id = await suggestion('a');
    await until(async () => (await pending()) === 0, 'delivery', PATIENCE_MS);
    const target = join(data, 'export');
    const args = ['data', 'export', target, '--data-dir', paths.companionDir];
    const manifest = JSON.parse(await runHoneCommand(paths, [...args, '--json'])) as ExportManifest;
    assert.deepEqual(
      ['companion.jsonl', 'extension.jsonl'].map((file) => manifest.rows[file]!.completions),
      [1, 1],
    );
    for (const file of Object.keys(manifest.rows)) assert.ok(readFileSync(join(target, file)).includes(id));
    await assert.rejects(runHoneCommand(paths, args), /is there already|Can't make the folder/);
  });

  it('is brought to its end by the next window when this one is killed in the middle', async () => {
    await suggestion('a');
    await backend.close();
    const script = `const { StoreDatabase } = await import(${JSON.stringify(STORE)});
      const database = new StoreDatabase(${JSON.stringify(paths.database)});
      database.deleteData({ kind: 'all' }, Date.now());
      process.kill(process.pid, 'SIGKILL');`;
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
    assert.equal(signal, 'SIGKILL');
    assert.notDeepEqual(filesWith(CANARY), [], 'or there was nothing left to do');
    await open();
    await ready();
    await until(() => filesWith(CANARY).length === 0, 'deletion', PATIENCE_MS);
  });

  it('is made up for at the companion when that runs again, also by another window', async () => {
    await ready();
    await suggestion('a');
    await until(async () => (await pending()) === 0, 'delivery', PATIENCE_MS);
    await backend.close();
    process.kill(pid!, 'SIGKILL');
    await until(() => !isAlive(pid!), 'its end', PATIENCE_MS);
    await open();
    assert.equal(await backend.deleteData({ kind: 'all' }), null);
    assert.deepEqual(
      filesWith(CANARY).filter((path) => !path.includes('companion')),
      [],
    );
    assert.notDeepEqual(filesWith(CANARY), []);
    await backend.close();

    await open();
    await ready();
    await until(() => filesWith(CANARY).length === 0, 'deletion', PATIENCE_MS);
    const database = new StoreDatabase(paths.database);
    await until(() => database.openDeletions().length === 0, 'its note', PATIENCE_MS);
    database.close();
  });
});
