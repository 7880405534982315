/** What a deletion does beside the store's tables. */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DataScope } from '../../extension/common/contracts/index.ts';
import { boardFolder, workspaceFolder } from '../board/board.ts';
import { eraseBoard, eraseFromBoard } from '../board/erase.ts';
import type { Engine } from '../inference/types.ts';
import type { Logger } from '../server/shared/logging.ts';
import type { Erased } from '../store/erase.ts';
import type { Store } from '../store/store.ts';
import { PLAN_FILE, readPlan, removeCheckpoint, writePlan } from './checkpoint.ts';
import type { LiveFuse } from './liveFuse.ts';
import { loadActive } from './registry.ts';
import type { LearnerSupervisor } from './supervisor.ts';

/** Where adapters lay before they were kept as checkpoints. */
const OLD_ADAPTER_FOLDER = 'adapters';

interface ErasureParts {
  store: Store;
  engine: Engine;
  learner: LearnerSupervisor;
  fuse: LiveFuse;
  logger: Logger;
}

/**
 * Deletes a scope's rows and lets go of what engine, learner and fuse keep of them in memory; files and bytes are
 * `finishErasure`'s. `trouble`: why the adapter that is to serve now can't be loaded; null: it can.
 */
export async function erase(
  { store, engine, learner, fuse, logger }: ErasureParts,
  scope: DataScope,
): Promise<{ erased: Erased; trouble: string | null }> {
  const { hash, name, path } = engine.model;
  const erased = store.erasure.rows(scope, Date.now());
  store.adapters.registerModel({ hash, name, path });
  await learner.forget();
  const trouble = await loadActive(store, engine, logger);
  await engine.forget();
  fuse.forget();
  return { erased, trouble };
}

/** After a crash in the middle of a deletion. What can't be done now is returned, and done the next time. */
export function finishInterruptedErasure(store: Store, logger: Logger): Error | null {
  try {
    finishErasure(store);
    return null;
  } catch (error) {
    logger.error({ err: error }, 'A deletion could not be brought to its end.');
    return error as Error;
  }
}

/**
 * Does what a deletion has left to do: deletes the files of adapters that are gone, takes their updates out of the
 * curves and logs, and clears the bytes of what the tables held. Every step may be done again, so that after a crash
 * the next start, or the next deletion, goes on here.
 *
 * @throws HoneError `data_busy`, `storage_full`, `data_dir_unusable`; the rest is left to the next call then.
 */
export function finishErasure(store: Store): void {
  const pending = store.erasure.pending();
  if (pending === null) return;
  if (pending.all) {
    for (const name of readdirSync(store.adapterDir))
      rmSync(join(store.adapterDir, name), { recursive: true, force: true });
    rmSync(join(store.dataDir, OLD_ADAPTER_FOLDER), { recursive: true, force: true });
    eraseBoard(store.dataDir);
  } else {
    const versions = new Set(pending.versions);
    for (const { version, file } of store.adapters.list())
      if (versions.has(version)) removeCheckpoint(store, file);
    forgetInPlans(store);
    for (const key of pending.workspaces) {
      rmSync(join(store.adapterDir, workspaceFolder(key)), { recursive: true, force: true });
      rmSync(join(boardFolder(store.dataDir), workspaceFolder(key)), { recursive: true, force: true });
    }
    eraseFromBoard(store.dataDir, { versions, runIds: new Set(pending.runIds) });
  }
  store.erasure.clean();
  store.erasure.done();
}

/** Takes ids that no event has any more out of what updates were made from; one that was not made yet is given up. */
function forgetInPlans(store: Store): void {
  const made = new Set(store.adapters.list().map((row) => dirname(row.file)));
  const names = readdirSync(store.adapterDir, { recursive: true }).map(String);
  for (const name of names.filter((one) => one.endsWith(PLAN_FILE))) {
    const path = join(store.adapterDir, name);
    const plan = readPlan(path);
    if (plan === null) continue;
    const missing = new Set(store.erasure.missingEvents([...plan.eventIds, ...plan.heldOutIds]));
    if (missing.size === 0) continue;
    const without = (ids: string[]): string[] => ids.filter((id) => !missing.has(id));
    if (made.has(dirname(name).replaceAll('\\', '/')))
      writePlan(store, { ...plan, eventIds: without(plan.eventIds), heldOutIds: without(plan.heldOutIds) });
    else rmSync(path);
  }
}
