import Database from 'better-sqlite3';
import { join } from 'node:path';
import { HoneError } from '../server/shared/errors.ts';
import { makePrivateFolder } from './folder.ts';
import { MIGRATIONS } from './migrations.ts';

export const DATABASE_FILE = 'experience.db';
const BUSY_TIMEOUT_MS = 5_000;
/** The file never grows beyond this, whatever happens to the deletion of what is old. */
const MAX_DATABASE_BYTES = 2 ** 30;

export interface Connections {
  /** `synchronous=FULL`: a commit is on the disk before the call returns. For what is acknowledged. */
  durable: Database.Database;
  /** `synchronous=NORMAL`: survives the process, reaches the disk with the next durable commit. */
  quick: Database.Database;
  /** The disk was full at the start. What is there can be read, and written to again when there is room. */
  noRoom: boolean;
}

/** The shared index of the write-ahead log can't be made; a connection that is alone keeps it in its memory instead. */
const NO_ROOM_FOR_INDEX: ReadonlySet<unknown> = new Set(['SQLITE_IOERR_SHMSIZE', 'SQLITE_IOERR_SHMMAP']);

/**
 * Opens `experience.db` of a data folder in WAL mode and brings its schema up to date.
 *
 * @throws HoneError (`data_dir_unusable`, `storage_full`) when the folder can't be written or the file is damaged or newer than this program.
 */
export function openDatabase(dataDir: string, maxBytes = MAX_DATABASE_BYTES): Connections {
  const path = join(dataDir, DATABASE_FILE);
  return guarded(path, () => {
    makePrivateFolder(dataDir);
    try {
      const durable = connect(path, 'FULL', maxBytes);
      migrate(durable, path);
      return { durable, quick: connect(path, 'NORMAL', maxBytes), noRoom: false };
    } catch (error) {
      if (!NO_ROOM_FOR_INDEX.has((error as { code?: unknown }).code)) throw error;
      const alone = connect(path, 'FULL', maxBytes, true);
      migrate(alone, path);
      return { durable: alone, quick: alone, noRoom: true };
    }
  });
}

/**
 * Runs a piece of work on the database and turns SQLite's and the file system's errors into coded ones that say
 * what to do.
 */
export function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw coded(path, error);
  }
}

/** Whether a piece of work failed for want of room on the disk. */
export function isStorageFull(error: unknown): boolean {
  return error instanceof HoneError && error.code === 'storage_full';
}

/** The coded error for one that SQLite or the file system threw about `path`; any other as it is. */
export function coded(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('SQLITE_FULL') || code === 'ENOSPC')
    return new HoneError(
      'storage_full',
      `No space left to write ${path}. Free some disk space; nothing was stored.`,
      {
        cause: error,
      },
    );
  if (code.startsWith('SQLITE_CONSTRAINT')) return error;
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT'))
    return new HoneError(
      'data_dir_unusable',
      `${path} is damaged: ${(error as Error).message}. Move it away, then Hone begins a new one, or choose another folder with --data-dir.`,
      { param: '--data-dir', cause: error },
    );
  if (code.startsWith('SQLITE_') || isFileSystemError(error))
    return new HoneError(
      'data_dir_unusable',
      `Can't use ${path}: ${(error as Error).message}. Check that the folder may be written, or choose another with --data-dir.`,
      { param: '--data-dir', cause: error },
    );
  return error;
}

function isFileSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function connect(
  path: string,
  synchronous: 'FULL' | 'NORMAL',
  maxBytes: number,
  alone = false,
): Database.Database {
  const database = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    if (alone) database.pragma('locking_mode = EXCLUSIVE');
    database.pragma('journal_mode = WAL');
    database.pragma(`synchronous = ${synchronous}`);
    database.pragma('foreign_keys = ON');
    // What is deleted is overwritten, not only let go of.
    database.pragma('secure_delete = ON');
    const pageBytes = database.pragma('page_size', { simple: true }) as number;
    database.pragma(`max_page_count = ${Math.ceil(maxBytes / pageBytes)}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function migrate(database: Database.Database, path: string): void {
  const readVersion = () => database.pragma('user_version', { simple: true }) as number;
  const version = readVersion();
  if (version > MIGRATIONS.length)
    throw new HoneError(
      'data_dir_unusable',
      `${path} was written by a newer version of Hone (schema ${version}, this one knows ${MIGRATIONS.length}). Update Hone or choose another folder with --data-dir.`,
      { param: '--data-dir' },
    );
  // Nothing is written to a database that is up to date: it opens on a full disk, too.
  if (version === MIGRATIONS.length) return;
  database
    .transaction(() => {
      // Read again under the lock: a command that was started beside the companion may have come first.
      for (const sql of MIGRATIONS.slice(readVersion())) database.exec(sql);
      database.pragma(`user_version = ${MIGRATIONS.length}`);
    })
    .immediate();
  // Another program may have brought it up to date: a statement that is run makes SQLite read the schema anew, while
  // one that is only prepared is held against the columns of before.
  database.prepare('SELECT count(*) FROM sqlite_schema').get();
}
