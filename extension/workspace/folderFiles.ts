/** The source files of one folder: found once, then followed by what the editor's file watcher says. */
import { lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isDataByName, isToolFolder } from '../common/files/unhelpful.ts';
import { IgnoreRules, isIgnoreFile } from './ignoreRules.ts';
import { FILE_BYTES_MAX, FOLDER_DEPTH_MAX } from './limits.ts';
import { readSource, type Skipped } from './sourceText.ts';

/** Where the texts go. Paths are relative to the folder, with forward slashes. */
export interface FileSink {
  set(path: string, text: string, bytes: number): void;
  delete(path: string, bytes: number): void;
  /** False: a limit is reached, and a file of this size is left out. */
  hasRoomFor(bytes: number): boolean;
}

/** A file as it was when it was last looked at. */
interface Known {
  bytes: number;
  modifiedMs: number;
  /** Null: it is in the index. */
  skipped: Skipped | null;
}

/**
 * Steps through a folder. Both methods are generators that pause after each file that was read and each folder that
 * was listed, so that whoever runs them can do something else in between. A file is read again only when its size or
 * its time of change is another one. Symbolic links aren't followed, as git doesn't: there are no loops, and a link
 * can't lend an excluded file another name.
 */
export class FolderFiles {
  readonly #folder: string;
  readonly #isExcluded: (path: string) => boolean;
  readonly #sink: FileSink;
  readonly #known = new Map<string, Known>();
  #rules: IgnoreRules;
  #unreadableFolders = 0;

  /**
   * @param folder absolute path
   * @param isExcluded by path with forward slashes, absolute or relative (common/files/excluded.ts)
   */
  constructor(folder: string, isExcluded: (path: string) => boolean, sink: FileSink) {
    this.#folder = folder;
    this.#isExcluded = isExcluded;
    this.#sink = sink;
    this.#rules = new IgnoreRules(folder);
  }

  /** How many files are in the index, and how many are not, by reason. */
  counts(): { indexed: number; skipped: Partial<Record<Skipped, number>>; unreadableFolders: number } {
    const skipped: Partial<Record<Skipped, number>> = {};
    let indexed = 0;
    for (const file of this.#known.values()) {
      if (file.skipped === null) indexed++;
      else skipped[file.skipped] = (skipped[file.skipped] ?? 0) + 1;
    }
    return { indexed, skipped, unreadableFolders: this.#unreadableFolders };
  }

  /** Brings the index up to date with the folder as it is; the nearest files first. */
  *scan(): Generator<void> {
    this.#rules = new IgnoreRules(this.#folder);
    this.#unreadableFolders = 0;
    const seen = new Set<string>();
    yield* this.#walk('', seen);
    for (const path of this.#known.keys()) if (!seen.has(path)) this.#forget(path);
  }

  /** The files or folders at these paths were made, changed or deleted. */
  *changed(paths: readonly string[]): Generator<void> {
    if (paths.some(isIgnoreFile)) {
      yield* this.scan();
      return;
    }
    const gone = new Set<string>();
    for (const path of paths) {
      const stats = this.#stats(path);
      if (stats === null) gone.add(path);
      else if (stats.isDirectory()) {
        if (this.#whyFolderSkipped(path) === null) yield* this.#walk(path, new Set());
      } else if (stats.isFile() && this.#look(path, stats, this.whySkipped(path))) yield;
    }
    if (gone.size === 0) return;
    for (const path of this.#known.keys()) if (isBelow(path, gone)) this.#forget(path);
  }

  /** Reads a file although it may be the same. */
  *again(path: string): Generator<void> {
    this.#forget(path);
    yield* this.changed([path]);
  }

  /** Why the file at this path may not be in the index, whatever is in it; null: it may. */
  whySkipped(path: string): Skipped | null {
    const slash = path.lastIndexOf('/');
    return (slash < 0 ? null : this.#whyFolderSkipped(path.slice(0, slash))) ?? this.#whyNameSkipped(path);
  }

  #whyFolderSkipped(folder: string): Skipped | null {
    if (folder.split('/').some(isToolFolder)) return 'data';
    return this.#rules.ignores(folder, 'folder') ? 'ignored' : null;
  }

  /** Of a file in a folder that is looked into. */
  #whyNameSkipped(path: string): Skipped | null {
    if (isDataByName(path)) return 'data';
    if (this.#isExcluded(path) || this.#isExcluded(join(this.#folder, path))) return 'excluded';
    return this.#rules.ignores(path, 'file') ? 'ignored' : null;
  }

  *#walk(start: string, seen: Set<string>): Generator<void> {
    const folders = [{ path: start, depth: 0 }];
    // Grows while it is read: breadth first.
    for (const { path: folder, depth } of folders) {
      for (const entry of this.#entries(folder)) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) {
          if (depth < FOLDER_DEPTH_MAX && !isToolFolder(entry.name) && !this.#rules.ignores(path, 'folder'))
            folders.push({ path, depth: depth + 1 });
        } else if (entry.isFile()) {
          seen.add(path);
          const stats = this.#stats(path);
          if (stats !== null && this.#look(path, stats, this.#whyNameSkipped(path))) yield;
        }
      }
      yield;
    }
  }

  /** Puts a file into the index, or takes it out; true when it had to be read. */
  #look(path: string, stats: Stats, why: Skipped | null): boolean {
    const facts = { bytes: stats.size, modifiedMs: stats.mtimeMs };
    const before = this.#known.get(path);
    const unfit = why ?? (stats.size > FILE_BYTES_MAX ? 'large' : null);
    if (unfit !== null) {
      this.#leaveOut(path, { ...facts, skipped: unfit });
      return false;
    }
    const isSame = before?.bytes === facts.bytes && before.modifiedMs === facts.modifiedMs;
    if (isSame && (before.skipped === null || before.skipped === 'binary' || before.skipped === 'generated'))
      return false;
    if (before?.skipped === null) this.#sink.delete(path, before.bytes);
    if (!this.#sink.hasRoomFor(stats.size)) {
      this.#known.set(path, { ...facts, skipped: 'limit' });
      return false;
    }
    const source = readSource(join(this.#folder, path));
    if ('text' in source) this.#sink.set(path, source.text, stats.size);
    this.#known.set(path, { ...facts, skipped: 'text' in source ? null : source.skipped });
    return true;
  }

  #leaveOut(path: string, facts: Known): void {
    this.#forget(path);
    this.#known.set(path, facts);
  }

  #forget(path: string): void {
    const known = this.#known.get(path);
    if (known?.skipped === null) this.#sink.delete(path, known.bytes);
    this.#known.delete(path);
  }

  #entries(folder: string): Dirent[] {
    try {
      return readdirSync(join(this.#folder, folder), { withFileTypes: true });
    } catch {
      this.#unreadableFolders++;
      return [];
    }
  }

  /** Null: nothing is there. */
  #stats(path: string): Stats | null {
    try {
      return lstatSync(join(this.#folder, path));
    } catch {
      return null;
    }
  }
}

/** Whether a path is one of these or in one of these folders. */
function isBelow(path: string, folders: ReadonlySet<string>): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (folders.has(path.slice(0, end))) return true;
  return false;
}
