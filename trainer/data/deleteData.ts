import { existsSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { DataScope } from '../../extension/common/contracts/index.ts';
import { deleteExtensionRows } from '../../extension/common/data/extensionRows.ts';
import { clearDeletedBytes } from '../../extension/common/data/rowDatabase.ts';
import { finishErasure } from '../coordinator/erasure.ts';
import { HoneError } from '../server/shared/errors.ts';
import { DATABASE_FILE, guarded } from '../store/database.ts';
import type { Erased } from '../store/erase.ts';
import { openStore } from '../store/store.ts';
import { extensionFilesOf, type ExtensionFiles } from './installation.ts';

/** Another window may hold the write lock for a commit. */
const BUSY_TIMEOUT_MS = 5_000;
/** From this version on the extension's database has every table that is deleted from. */
const LEAST_EXTENSION_SCHEMA = 4;

/**
 * Deletes a scope of a data folder that this process holds the lock of.
 *
 * @throws HoneError `data_busy`, `storage_full`: the rows are gone; calling it again does the rest.
 */
export function deleteOwnData(dataDir: string, scope: DataScope): Erased {
  if (!existsSync(join(dataDir, DATABASE_FILE)))
    return { completions: 0, events: 0, versions: [], requeued: 0 };
  const store = openStore(dataDir);
  try {
    const erased = store.erasure.rows(scope, Date.now());
    finishErasure(store);
    return erased;
  } finally {
    store.close();
  }
}

/**
 * Deletes a scope of the extension's database and log, where the data folder is one's. The window that is open goes
 * on with it.
 *
 * @returns how many suggestions and events; null: there is no extension.
 * @throws HoneError `data_busy`, `data_dir_unusable`, `storage_full`
 */
export function deleteExtensionData(
  dataDir: string,
  scope: DataScope,
): { completions: number; events: number } | null {
  const files = extensionFilesOf(dataDir);
  if (files === null) return null;
  return guarded(files.database, () => deleteFrom(files, scope));
}

function deleteFrom(files: ExtensionFiles, scope: DataScope): { completions: number; events: number } {
  const database = new Database(files.database, { timeout: BUSY_TIMEOUT_MS });
  try {
    const schema = database.pragma('user_version', { simple: true }) as number;
    if (schema < LEAST_EXTENSION_SCHEMA)
      throw new HoneError(
        'data_dir_unusable',
        `${files.database} was written by an older version of the extension. Open the editor once, then delete again.`,
      );
    database.pragma('foreign_keys = ON');
    database.pragma('secure_delete = ON');
    const erase = database.transaction(() => deleteExtensionRows(database, scope, Date.now()));
    const deleted = erase.immediate();
    if (scope.kind === 'all') emptyLogs(files.logs);
    if (clearDeletedBytes(database)) return deleted;
    throw new HoneError(
      'data_busy',
      `The rows are deleted, but an editor reads ${files.database}, so their bytes could not be cleared yet. Delete again.`,
    );
  } finally {
    database.close();
  }
}

/** A running companion goes on writing at the end of the first. */
function emptyLogs([log, older]: string[]): void {
  if (existsSync(log!)) truncateSync(log!);
  rmSync(older!, { force: true });
}
