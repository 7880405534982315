import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  exportEndSchema,
  exportManifestSchema,
  exportRowSchema,
} from '../../extension/common/contracts/index.ts';
import { StoreDatabase } from '../../extension/node/storeDatabase.ts';
import { deleteExtensionData } from '../../trainer/data/deleteData.ts';
import { exportFolder } from '../../trainer/data/exportFolder.ts';
import { openStore } from '../../trainer/store/store.ts';
import { CompanionProcess, runHone } from '../fixtures/companionProcess.ts';
import * as shown from '../fixtures/extensionRecords.ts';
import { completionRecord, correctionEvent, outcomeEvent } from '../fixtures/records.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

const CANARY = 'quetzalcoatlXiuhtecuhtli';

describe('hone data', function () {
  this.timeout(120_000);
  let folder: string;
  let dataDir: string;
  beforeEach(() => {
    folder = temporaryFolder();
    dataDir = join(folder, 'companion');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const linesOf = (path: string): unknown[] =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  const filesWith = (text: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(text));
  /** Rows of both databases, an adapter's file, a log. */
  const fill = (): void => {
    const store = openStore(dataDir);
    const record = completionRecord({
      promptText: CANARY,
      workspaceKey: 'w',
      generatedLogprobs: [-0.5, null],
    });
    store.recordCompletion(record);
    store.events.submit(
      [outcomeEvent(record, { kind: 'accepted' }), correctionEvent(record.id, CANARY)],
      Date.now(),
    );
    store.close();
    writeFileSync(join(dataDir, 'checkpoints', 'adapter.gguf'), CANARY);
    const database = new StoreDatabase(join(folder, 'extension.sqlite'));
    database.recordCompletion({ ...shown.shownCompletion(record.id), shownText: CANARY, workspaceKey: 'w' });
    database.appendEvents('window', [
      { ...shown.outcomeEvent(record.id), shownText: CANARY, workspaceKey: 'w' },
    ]);
    database.close();
    writeFileSync(join(folder, 'companion.log'), CANARY);
  };

  it('exports every row of both databases, token ids as numbers, and every file of what was learned', async () => {
    fill();
    const target = join(folder, 'export');
    const { code, errors } = await runHone(['data', 'export', target, '--data-dir', dataDir]);
    assert.equal(code, 0, errors);
    const manifest = exportManifestSchema.parse(
      JSON.parse(readFileSync(join(target, 'manifest.json'), 'utf8')),
    );
    assert.deepEqual(manifest.files.map(({ path }) => path).sort(), [
      'checkpoints/adapter.gguf',
      'companion.log',
    ]);
    const companion = manifest.rows['companion.jsonl']!;
    const extension = manifest.rows['extension.jsonl']!;
    assert.deepEqual(
      [companion.completions, companion.events, companion.outcomes, companion.corrections],
      [1, 2, 1, 1],
    );
    assert.deepEqual([extension.completions, extension.events, extension.outbox], [1, 1, 1]);
    const lines = linesOf(join(target, 'companion.jsonl'));
    const rows = lines.slice(0, -1).map((line) => exportRowSchema.parse(line));
    assert.deepEqual(exportEndSchema.parse(lines.at(-1)).rows, companion);
    assert.equal(
      rows.length,
      Object.values(companion).reduce((sum, count) => sum + count, 0),
    );
    const { row } = rows.find(({ table }) => table === 'completions')!;
    assert.deepEqual(
      [row.prompt_tokens, row.generated_logprobs],
      [
        [10, 11, 12],
        [-0.5, null],
      ],
    );

    const mistyped = await runHone(['data', 'export', `${target}2`, '--data-dir', `${dataDir}x`]);
    assert.match(mistyped.errors, /there is no data folder .*x; the export is empty/);
    const again = await runHone(['data', 'export', target, '--data-dir', dataDir]);
    assert.equal(again.code, 1);
    assert.match(again.errors, /export_folder_unusable/);
  });

  it('deletes everything from both databases, adapters and log, without a companion', async () => {
    fill();
    const { code, output, errors } = await runHone(['data', 'delete', '--all', '--data-dir', dataDir]);
    assert.equal(code, 0, errors);
    assert.match(
      output,
      /Deleted 1 completions and 2 events\.\nIn the extension's database: 1 suggestions and 1 events/,
    );
    assert.deepEqual(filesWith(CANARY), []);
  });

  it('leaves no half of an export, and says which database is damaged', async () => {
    fill();
    const [store, extension] = [join(dataDir, 'experience.db'), join(folder, 'extension.sqlite')];
    writeFileSync(
      extension,
      'no database at all, but long enough to be read as the head of one, and more'.repeat(9),
    );
    const target = join(folder, 'export');
    const scope = { kind: 'all' } as const;
    await assert.rejects(exportFolder(dataDir, target), /extension\.sqlite is damaged/);
    assert.ok(!existsSync(target));
    assert.throws(() => deleteExtensionData(dataDir, scope), /extension\.sqlite is damaged/);
    rmSync(extension);
    await exportFolder(dataDir, target);
    assert.ok(existsSync(store));
  });

  it('does not export into what it copies', async () => {
    fill();
    for (const inside of ['checkpoints/export', 'export', '.'])
      await assert.rejects(exportFolder(dataDir, join(dataDir, inside)), /lies in the data folder/);
    await exportFolder(dataDir, join(folder, '..export'));
  });

  it('wants to be told what to delete, one thing', async () => {
    fill();
    for (const args of [[], ['--all', '--event', 'x'], ['--workspace', '']])
      assert.equal(
        (await runHone(['data', 'delete', '--data-dir', dataDir, ...args])).code,
        2,
        args.join(' '),
      );
    assert.notDeepEqual(filesWith(CANARY), []);
  });

  it('has a running companion delete, and reads beside it', async () => {
    fill();
    writeTinyModel(join(folder, 'tiny.gguf'));
    const companion = await CompanionProcess.start([
      ...['--model', join(folder, 'tiny.gguf'), '--data-dir', dataDir, '--token', 'secret'],
      ...['--gpu', 'cpu', '--threads', '1', '--log-level', 'error', '--no-train'],
    ]);
    try {
      const url = `${companion.ready.feedback}/api/data/export`;
      assert.equal((await fetch(url)).status, 401);
      const answer = await fetch(url, { headers: { authorization: 'Bearer secret' } });
      const lines = (await answer.text()).trimEnd().split('\n');
      assert.equal(exportEndSchema.parse(JSON.parse(lines.at(-1)!)).rows.completions, 1);
      const target = join(folder, 'export');
      assert.equal((await runHone(['data', 'export', target, '--data-dir', dataDir])).code, 0);
      rmSync(target, { recursive: true });

      const remove = ['data', 'delete', '--workspace', 'w', '--data-dir', dataDir, '--json'];
      const before = filesWith(CANARY);
      const refused = await runHone([...remove, '--token', 'another']);
      assert.equal(refused.code, 1);
      assert.deepEqual(filesWith(CANARY), before, 'nothing is deleted where a part would be refused');
      const { code, output, errors } = await runHone([...remove, '--token', 'secret']);
      assert.equal(code, 0, errors);
      const { completions, extension } = JSON.parse(output) as { completions: number; extension: object };
      assert.deepEqual([completions, extension], [1, { events: 1, completions: 1 }]);
      assert.deepEqual(
        filesWith(CANARY).map((path) => path.slice(folder.length + 1)),
        ['companion.log'],
      );
    } finally {
      await companion.kill('SIGTERM');
    }
    assert.ok(!existsSync(join(dataDir, 'companion.json')));
  });
});
