/** The files of a workspace's folders and the documents that are open in it, as retrieval asks for them. */
import { join, sep } from 'node:path';
import { FileIndex } from '../common/context/fileIndex.ts';
import { contextFor, type ContextAsk } from '../common/context/gather.ts';
import type { ContextPlan, PackedContext } from '../common/context/pack.ts';
import type { ContextCandidate } from '../common/context/types.ts';
import { codeLanguageOf } from '../common/files/codeLanguages.ts';
import { excludedFiles } from '../common/files/excluded.ts';
import { isGenerated } from '../common/files/unhelpful.ts';
import { toLf } from '../common/outcome/offsets.ts';
import { filePlaces, type FilePlace } from '../common/places/filePlaces.ts';
import { seededRandom, shuffled } from '../common/random.ts';
import { maskSecrets } from '../common/secrets/mask.ts';
import { FolderFiles, type FileSink } from './folderFiles.ts';
import { FILE_BYTES_MAX, FILES_MAX, TEXT_BYTES_MAX } from './limits.ts';
import { slashed } from './paths.ts';
import { readSource, type Skipped } from './sourceText.ts';

const BYTES_PER_MB = 1024 * 1024;
/** A file may be large; the developer's ways show in many of them. */
const PLACES_OF_A_FILE = 4;

export interface WorkspaceOptions {
  /** Each with its absolute path, and what the paths of its files begin with: nothing, or a name and a slash. */
  folders: { root: string; label: string }[];
  /** The user's own globs of files that are never read. */
  excludedPatterns: string[];
  /** False: only which files there are is known; nothing similar is found, and the words of all files are not counted. */
  countsWords: boolean;
}

/** A caret, and what the editor alone knows about it. */
export interface PlaceQuery {
  ask: ContextAsk;
  /** Definitions that the language server found. */
  definitions: ContextCandidate[];
  plan: ContextPlan;
}

export interface IndexReport {
  /** How many files of which size are in the index, and how many are not, for the log. */
  summary: string;
  /** A sentence for each limit that was reached. */
  limits: string[];
}

interface Folder {
  root: string;
  label: string;
  files: FolderFiles;
}

/** Not thread-safe; runs on the index's thread, and in `hone explain`. */
export class WorkspaceIndex {
  readonly #index = new FileIndex();
  readonly #folders: readonly Folder[];
  /** Texts of open documents: what is on the disk doesn't count then. */
  readonly #open = new Map<string, string>();
  readonly #countsWords: boolean;
  #bytes = 0;

  constructor({ folders, excludedPatterns, countsWords }: WorkspaceOptions) {
    this.#countsWords = countsWords;
    const isExcluded = excludedFiles(excludedPatterns);
    this.#folders = folders.map(({ root, label }) => ({
      root,
      label,
      files: new FolderFiles(root, isExcluded, this.#sinkOf(label)),
    }));
  }

  /** Finds all files, or what has changed since; pauses as `FolderFiles` does. */
  *scan(): Generator<void> {
    for (const { files } of this.#folders) yield* files.scan();
  }

  /** @param paths absolute */
  *changed(paths: readonly string[]): Generator<void> {
    for (const { root, files } of this.#folders) {
      const own = paths
        .filter((path) => path.startsWith(root + sep))
        .map((path) => slashed(path.slice(root.length + 1)));
      if (own.length > 0) yield* files.changed(own);
    }
  }

  /** An open document has this text now. One whose file may not be in the index is left out all the same. */
  open(path: string, written: string): void {
    const text = toLf(written);
    this.#open.delete(path);
    if (this.whySkipped(path) !== null || text.length > FILE_BYTES_MAX || isGenerated(text)) {
      this.#index.delete(path);
      return;
    }
    this.#open.set(path, text);
    this.#put(path, text);
  }

  /** A document was closed: its file counts again, if there is one. */
  *close(path: string): Generator<void> {
    if (this.#open.delete(path)) this.#index.delete(path);
    const place = this.#find(path);
    if (place !== undefined) yield* place.folder.files.again(place.below);
  }

  /** What is shown beside the text around a caret, and why. */
  contextFor({ ask, definitions, plan }: PlaceQuery): PackedContext {
    const allowed = definitions.filter(({ path }) => this.whySkipped(path) === null);
    const workspace = { index: this.#index, textOf: (path: string) => this.#textOf(path) };
    return contextFor(workspace, ask, plan, allowed);
  }

  /**
   * Adds places of files that hold code to `found` until there are `count`, a few of each file; secrets masked. The
   * same seed chooses the same ones of the same files. Pauses after each file.
   */
  *places(count: number, seed: number, found: FilePlace[]): Generator<void> {
    const random = seededRandom(seed);
    const paths = this.#index.paths().filter((path) => codeLanguageOf(path) !== undefined);
    const each = Math.min(PLACES_OF_A_FILE, Math.ceil(count / Math.max(1, paths.length)));
    for (const path of shuffled(paths.sort(), random)) {
      if (found.length >= count) return;
      const text = this.#textOf(path);
      if (text !== undefined) found.push(...filePlaces(path, text, each, random));
      yield;
    }
  }

  /** Why a path's file may never be shown; null: it may. */
  whySkipped(path: string): Skipped | 'outside' | null {
    const place = this.#find(path);
    return place === undefined ? 'outside' : place.folder.files.whySkipped(place.below);
  }

  report(): IndexReport {
    const skipped = new Map<string, number>();
    let unreadable = 0;
    for (const counts of this.#folders.map(({ files }) => files.counts())) {
      for (const [why, count] of Object.entries(counts.skipped))
        skipped.set(why, (skipped.get(why) ?? 0) + count);
      unreadable += counts.unreadableFolders;
    }
    const left = [...skipped].map(([why, count]) => `${count} ${why}`);
    if (unreadable > 0) left.push(`${unreadable} folders that can't be read`);
    const out = left.length === 0 ? '' : `; left out: ${left.join(', ')}`;
    const beyond = skipped.get('limit') ?? 0;
    return {
      summary: `${this.#index.size} files with ${inMb(this.#bytes)} MB of text in ${inMb(this.#index.bytes)} MB${out}`,
      limits:
        beyond === 0
          ? []
          : [
              `${beyond} files are beyond the limit of ${FILES_MAX} files or ${inMb(TEXT_BYTES_MAX)} MB of text and are left out.`,
            ],
    };
  }

  #sinkOf(label: string): FileSink {
    return {
      set: (path, text, bytes) => {
        this.#bytes += bytes;
        if (!this.#open.has(label + path)) this.#put(label + path, text);
      },
      delete: (path, bytes) => {
        this.#bytes -= bytes;
        if (!this.#open.has(label + path)) this.#index.delete(label + path);
      },
      hasRoomFor: (bytes) => this.#index.size < FILES_MAX && this.#bytes + bytes <= TEXT_BYTES_MAX,
    };
  }

  #put(path: string, text: string): void {
    this.#index.set(path, this.#countsWords ? text : '');
  }

  /** Masked as a whole: a secret that a piece's edge cuts in two would not be found in the piece. */
  #textOf(path: string): string | undefined {
    const open = this.#open.get(path);
    if (open !== undefined) return maskSecrets(open);
    const place = this.#find(path);
    if (place === undefined) return undefined;
    const source = readSource(join(place.folder.root, place.below));
    return 'text' in source ? maskSecrets(source.text) : undefined;
  }

  #find(path: string): { folder: Folder; below: string } | undefined {
    const folder = this.#folders.find(({ label }) => path.startsWith(label));
    return folder && { folder, below: path.slice(folder.label.length) };
  }
}

function inMb(bytes: number): string {
  return (bytes / BYTES_PER_MB).toFixed(1);
}
