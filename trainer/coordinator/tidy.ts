import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Store } from '../store/store.ts';
import type { AdapterRow } from '../store/types.ts';
import { removeCheckpoint } from './checkpoint.ts';

/** Newest versions whose files are kept, by what became of them; an update of the embedded model takes 10 MB. */
const KEPT_SERVED = 100;
const KEPT_REFUSED = 8;
/** Newest served versions that keep what lies beside the adapter: only an update that starts there needs it. */
const KEPT_STATES = 3;
const CACHE_FOLDER = 'cache';
const KEPT_SCORES_PREFIX = 'gate-';

/**
 * Deletes the files of versions that are long past. What is in service stays, whatever its age; the figures of all
 * versions stay.
 */
export function tidyAdapters(store: Store, inService: ReadonlySet<number>): void {
  const newestFirst = store.adapters
    .list()
    .filter((row) => !row.collected)
    .toReversed();
  const isRefused = (row: AdapterRow): boolean => row.status === 'rejected' || row.status === 'rolledBack';
  const served = newestFirst.filter((row) => !isRefused(row));
  const refused = newestFirst.filter(isRefused);
  for (const row of [...served.slice(KEPT_SERVED), ...refused.slice(KEPT_REFUSED)]) {
    if (inService.has(row.version)) continue;
    removeCheckpoint(store, row.file);
    store.adapters.markCollected(row.version);
  }
  const withState = new Set([...served.slice(0, KEPT_STATES).map((row) => row.version), ...inService]);
  for (const row of newestFirst) if (!withState.has(row.version)) removeStates(store, row.file);
}

/** What the gate keeps of the base model from one learner to the next, by model. */
export function keptScoresPath(dataDir: string, modelHash: string): string {
  return join(dataDir, CACHE_FOLDER, `${KEPT_SCORES_PREFIX}${modelHash}.gguf`);
}

/** Deletes what the gate kept of other models: it is made again in the first update with one. */
export function tidyKeptScores(dataDir: string, modelHash: string): void {
  const folder = join(dataDir, CACHE_FOLDER);
  if (!existsSync(folder)) return;
  const kept = basename(keptScoresPath(dataDir, modelHash));
  for (const name of readdirSync(folder))
    if (name.startsWith(KEPT_SCORES_PREFIX) && name !== kept) rmSync(join(folder, name), { force: true });
}

function removeStates(store: Store, file: string): void {
  const path = join(store.adapterDir, file);
  if (!existsSync(dirname(path))) return;
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(basename(path)) && name !== basename(path))
      rmSync(join(dirname(path), name), { force: true });
}
