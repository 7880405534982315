import { closeSync, constants, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scalarRecord, versionRecord } from './event.ts';

/** What TensorBoard looks for in a name; the seconds that follow put the files of a folder in order. */
export const EVENT_FILE_PREFIX = 'events.out.tfevents.';
const EVENT_FILE_ENDING = '.hone';
/** Appended to what is there; a file that was deleted meanwhile is not begun again without its first record. */
const APPEND_ONLY = constants.O_WRONLY | constants.O_APPEND;

/**
 * A folder's TensorBoard events. A process begins a file of its own with its first record: the file before may end in
 * the middle of one, which a reader takes for its end. For the same reason a new one is begun after a failed write.
 */
export class EventFile {
  private readonly folder: string;
  private path: string | null = null;

  /** @param folder is there when `append` is called. */
  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Adds the scalars of a step.
   *
   * @param at milliseconds since the epoch
   * @throws what the file system throws; the next call begins a new file.
   */
  append(at: number, step: number, scalars: Record<string, number>): void {
    const seconds = at / 1000;
    const record = scalarRecord(seconds, step, scalars);
    if (this.path !== null && this.add(this.path, record)) return;
    const path = join(this.folder, this.nextName(seconds));
    try {
      writeFileSync(path, Buffer.concat([versionRecord(seconds), record]), { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(path, { force: true });
      throw error;
    }
    this.path = path;
  }

  /** False: the file is gone. */
  private add(path: string, record: Buffer): boolean {
    try {
      const file = openSync(path, APPEND_ONLY);
      try {
        writeFileSync(file, record);
      } finally {
        closeSync(file);
      }
      return true;
    } catch (error) {
      this.path = null;
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  /** Later than every file that is there, also when the clock was set back. */
  private nextName(seconds: number): string {
    const taken = readdirSync(this.folder)
      .filter((name) => name.startsWith(EVENT_FILE_PREFIX))
      .map((name) => Number.parseInt(name.slice(EVENT_FILE_PREFIX.length), 10) || 0);
    const begun = Math.max(Math.floor(seconds), ...taken.map((second) => second + 1));
    return `${EVENT_FILE_PREFIX}${String(begun).padStart(10, '0')}${EVENT_FILE_ENDING}`;
  }
}
