import Database from 'better-sqlite3';
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  COMPANION_FILE,
  companionLockSchema,
  type CompanionLock,
} from '../extension/common/contracts/index.ts';
import { guarded, isStorageFull } from './store/database.ts';
import { makePrivateFolder } from './store/folder.ts';
import { HoneError } from './server/shared/errors.ts';

/** Held with an exclusive SQLite transaction: the operating system lets go of it however the process ends. */
const LOCK_FILE = 'companion.lock';
const FINGERPRINT_HEX_DIGITS = 16;

/** Keeps the handles of held locks alive: a collected handle is closed, and its lock is gone. */
const held = new Set<Database.Database>();

/** Another companion owns the data folder. */
class DataFolderInUseError extends HoneError {
  /** Null in the moment between taking the lock and writing the file. */
  readonly running: CompanionLock | null;

  constructor(dataDir: string, running: CompanionLock | null) {
    super(
      'data_dir_in_use',
      `The data folder ${dataDir} is in use by ${describe(running)}. ` +
        'Use that one, end it, or choose another folder with --data-dir.',
      { param: '--data-dir' },
    );
    this.running = running;
  }
}

interface DataFolderLock {
  /** False: there was no room for the file, and windows that want to attach don't find this companion. */
  readonly published: boolean;
  /** Writes what is known by now (ports, fingerprints) for windows that want to attach. */
  publish(change: Partial<Omit<CompanionLock, 'v' | 'pid' | 'startedAt'>>): void;
  /** Removes the file and lets the next companion in. */
  release(): void;
}

/**
 * Takes the data folder for this process; one companion owns it at a time. A lock whose process is dead is free,
 * also when its number has been given to another process since.
 *
 * @throws DataFolderInUseError when another live process holds it.
 * @throws HoneError (`data_dir_unusable`) when the folder can't be written; `publish` too. A full disk is none: then
 *   `published` is false.
 */
export function lockDataFolder(dataDir: string): DataFolderLock {
  const handle = takeLock(dataDir);
  let info: CompanionLock = {
    v: 1,
    pid: process.pid,
    startedAt: Date.now(),
    host: '127.0.0.1',
    inferencePort: null,
    feedbackPort: null,
    inferenceTokenFingerprint: null,
    feedbackTokenFingerprint: null,
  };
  let published: boolean;
  try {
    published = writeInfo(dataDir, info);
  } catch (error) {
    handle.close();
    throw error;
  }
  held.add(handle);
  return {
    get published() {
      return published;
    },
    publish(change) {
      info = { ...info, ...change };
      published = writeInfo(dataDir, info);
    },
    release() {
      if (!held.delete(handle)) return;
      rmSync(join(dataDir, COMPANION_FILE), { force: true });
      handle.close();
    },
  };
}

/** The companion that holds the folder now, or null when none does, or one that has not said yet where it listens. */
export function runningCompanion(dataDir: string): CompanionLock | null {
  const holder = holderOf(dataDir);
  return holder === 'starting' ? null : holder;
}

/** Who holds the folder now; null: nobody. */
export function holderOf(dataDir: string): CompanionLock | 'starting' | null {
  try {
    takeLock(dataDir).close();
    return null;
  } catch (error) {
    if (error instanceof DataFolderInUseError) return error.running ?? 'starting';
    throw error;
  }
}

/** Shows which token a service wants without telling it. */
export function tokenFingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, FINGERPRINT_HEX_DIGITS);
}

function takeLock(dataDir: string): Database.Database {
  guarded(dataDir, () => makePrivateFolder(dataDir));
  const path = join(dataDir, LOCK_FILE);
  return guarded(path, () => {
    const handle = new Database(path, { timeout: 0 });
    try {
      // Nothing is ever written to it: a journal on the disk would only need room.
      handle.pragma('journal_mode = MEMORY');
      handle.exec('BEGIN EXCLUSIVE');
      return handle;
    } catch (error) {
      handle.close();
      if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))
        throw new DataFolderInUseError(dataDir, lastCompanion(dataDir));
      throw error;
    }
  });
}

/** What the last companion of the folder said of itself; one that ended as it should takes it along. */
export function lastCompanion(dataDir: string): CompanionLock | null {
  try {
    const parsed = companionLockSchema.safeParse(
      JSON.parse(readFileSync(join(dataDir, COMPANION_FILE), 'utf8')),
    );
    return parsed.success ? parsed.data : null;
  } catch {
    // Not written yet, or being replaced this moment.
    return null;
  }
}

/** Returns false when there is no room for it, not even in the place of what an earlier companion left behind. */
function writeInfo(dataDir: string, info: CompanionLock): boolean {
  const path = join(dataDir, COMPANION_FILE);
  for (let tries = 0; tries < 2; tries++) {
    try {
      guarded(path, () => replaceFile(path, JSON.stringify(info)));
      return true;
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      rmSync(path, { force: true });
    }
  }
  return false;
}

function replaceFile(path: string, text: string): void {
  const partial = `${path}.${process.pid}`;
  try {
    writeFileSync(partial, text, { mode: 0o600 });
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
}

function describe(running: CompanionLock | null): string {
  if (running === null) return 'another companion that is just starting';
  const ports =
    running.inferencePort === null || running.feedbackPort === null
      ? 'still starting'
      : `ports ${running.inferencePort} and ${running.feedbackPort}`;
  return `the companion with process id ${running.pid} (${ports})`;
}
