import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { feedbackEventSchema, flatFeedbackSchema } from '../../../extension/common/contracts/index.ts';
import { StoreDatabase } from '../../../extension/node/storeDatabase.ts';
import { DATABASE_FILE } from '../../../trainer/store/database.ts';
import { openStore } from '../../../trainer/store/store.ts';
import { readTelemetry, unlisted } from '../../fixtures/telemetry.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SQLITES_OWN = 'sqlite_sequence';

describe('TELEMETRY.md', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'hone-telemetry-'))));
  after(() => rmSync(folder, { recursive: true }));

  /** Columns by table of a database as it is made. */
  function columnsOf(path: string): Record<string, string[]> {
    const database = new Database(path);
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> ?")
      .pluck()
      .all(SQLITES_OWN) as string[];
    const columns = tables.map((table) => {
      const info = database.pragma(`table_info(${table})`) as { name: string }[];
      return [table, info.map(({ name }) => name).sort()];
    });
    database.close();
    return Object.fromEntries(columns) as Record<string, string[]>;
  }
  const listed = (database: string): Record<string, string[]> =>
    Object.fromEntries(
      Object.entries(readTelemetry().tables[database]!).map(([table, columns]) => [
        table,
        [...columns].sort(),
      ]),
    );

  it("lists exactly the tables and columns of the extension's database", () => {
    const path = join(folder, 'extension.sqlite');
    new StoreDatabase(path).close();
    assert.deepEqual(listed('extension.sqlite'), columnsOf(path));
  });

  it("lists exactly the tables and columns of the companion's database", () => {
    openStore(folder).close();
    assert.deepEqual(listed(DATABASE_FILE), columnsOf(join(folder, DATABASE_FILE)));
  });

  it('lists exactly the fields of an event and of a flat body', () => {
    const { eventFields, flatFields } = readTelemetry();
    const fields = feedbackEventSchema.options.flatMap((option) => Object.keys(option.shape));
    assert.deepEqual([...eventFields].sort(), [...new Set(fields)].sort());
    assert.deepEqual([...flatFields].sort(), Object.keys(flatFeedbackSchema.shape).sort());
  });

  it('lists no file that nothing writes', () => {
    const sources = ['extension', 'trainer'].flatMap((top) =>
      readdirSync(join(ROOT, top), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
    );
    // SQLite and the rotation of the log add an ending of their own.
    const names = readTelemetry().files.map((file) => basename(file).replace(/-wal$|-shm$|\.1$/, ''));
    assert.ok(names.length > 10);
    for (const name of names)
      assert.ok(
        sources.some((text) => text.includes(`'${name}'`)),
        name,
      );
  });

  it('would say so if a file was not listed', () => {
    assert.deepEqual(unlisted(['tokens.json', 'companion/runs/default/train.log', 'companion/spy.bin']), [
      'companion/spy.bin',
    ]);
  });
});
