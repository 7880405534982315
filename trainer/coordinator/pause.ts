import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { guarded } from '../store/database.ts';

const PAUSE_FILE = 'learning-paused';

/**
 * Whether the user wants no update until further notice. A file of the data folder says so: it outlives the companion,
 * and a deletion of everything that was recorded.
 */
export class LearningPause {
  readonly #path: string;
  #on: boolean;

  constructor(dataDir: string) {
    this.#path = join(dataDir, PAUSE_FILE);
    this.#on = existsSync(this.#path);
  }

  get on(): boolean {
    return this.#on;
  }

  /** @throws HoneError `storage_full`: it is as before. */
  set(on: boolean): void {
    guarded(this.#path, () => {
      if (on) writeFileSync(this.#path, '', { mode: 0o600 });
      else rmSync(this.#path, { force: true });
    });
    this.#on = on;
  }
}
