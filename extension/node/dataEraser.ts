import { rm, truncate } from 'node:fs/promises';
import type { DataScope, Deletion } from '../common/contracts/data.ts';
import { CompanionError, type CompanionClient } from './companionClient.ts';
import type { Outbox } from './outbox.ts';
import type { Store } from './store.ts';

interface DataEraserOptions {
  store: Store;
  outbox: Outbox;
  client: () => CompanionClient | null;
  /** Address of the companion that is set; empty: the one of this machine. */
  companion: () => string;
  /** What the companion says; a running one appends to it. */
  companionLog: string;
  log: (level: 'info' | 'warn', message: string) => void;
}

/**
 * Deletes what is recorded, here and at the companion. That it has to be deleted there is written down in the same
 * transaction in which it goes here, and stays written down until it is: across a crash, a closed window, and a
 * companion that doesn't run. It goes to the one that was set then: another one has other data.
 */
export class DataEraser {
  readonly #options: DataEraserOptions;
  #finishing: Promise<unknown> = Promise.resolve();

  constructor(options: DataEraserOptions) {
    this.#options = options;
  }

  /**
   * Resolves when its bytes are gone; with what the companion deleted, or null when it will as soon as it runs.
   *
   * @throws the store's error when nothing was deleted; a CompanionError when the companion refused; an Error when
   *   another window reads the database, so that the bytes of what is deleted are still there.
   */
  async erase(scope: DataScope): Promise<Deletion | null> {
    const { store, outbox, companionLog, companion } = this.#options;
    return outbox.whileHeld(async () => {
      if (scope.kind === 'all') outbox.forget();
      await store.call('deleteData', scope, Date.now(), companion());
      if (scope.kind === 'all') await emptyLog(companionLog);
      return this.finish();
    });
  }

  /**
   * Clears the bytes of what was deleted here, and has the companion delete what it hasn't yet. Returns its last
   * answer; null when nothing is open, or it doesn't run.
   */
  finish(): Promise<Deletion | null> {
    const turn = this.#finishing.then(() => this.#finish());
    this.#finishing = turn.catch(() => undefined);
    return turn;
  }

  async #finish(): Promise<Deletion | null> {
    const { store, client, companion: current, log } = this.#options;
    let deletion: Deletion | null = null;
    const open = await store.call('openDeletions');
    if (open.length === 0) return null;
    if (!(await store.call('clearDeletedBytes')))
      throw new Error(
        'It is deleted, but another window reads the database, so its bytes could not be cleared yet. Delete again, or wait for the next start.',
      );
    for (const { sequence, scope, companion: meant } of open) {
      if (meant !== current()) continue;
      const companion = client();
      if (!companion) return null;
      try {
        deletion = await companion.deleteData(scope);
      } catch (error) {
        if (!(error instanceof CompanionError) || error.status !== 0) throw error;
        log('warn', `The companion deletes as soon as it answers again: ${error.message}`);
        return null;
      }
      await store.call('deletionDone', sequence);
      const { completions, events } = deletion;
      log('info', `Deleted at the companion: ${completions} completion(s), ${events} event(s).`);
    }
    return deletion;
  }
}

async function emptyLog(path: string): Promise<void> {
  await truncate(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rm(`${path}.1`, { force: true });
}
