import { basename, dirname } from 'node:path';
import { LRUCache } from 'lru-cache';
import { IgnoreRules } from './ignoreRules.ts';

/** Folders of open documents; more are hardly edited at a time. */
const FOLDERS_MAX = 200;

/** Whether git ignores single files, wherever they lie. Read from the disk once a folder, so that a keystroke can ask. */
export class IgnoredDocuments {
  readonly #byFolder = new LRUCache<string, IgnoreRules>({ max: FOLDERS_MAX });
  readonly #userFile: string | undefined;

  /** @param userFile the user's own ignore file; absent: where git looks for it */
  constructor(userFile?: string) {
    this.#userFile = userFile;
  }

  /** @param path absolute path of a file, as the system writes it */
  ignores(path: string): boolean {
    const folder = dirname(path);
    let rules = this.#byFolder.get(folder);
    if (rules === undefined) {
      rules = new IgnoreRules(folder, this.#userFile);
      this.#byFolder.set(folder, rules);
    }
    return rules.ignores(basename(path), 'file');
  }

  /** An ignore file may have changed. */
  forget(): void {
    this.#byFolder.clear();
  }
}
