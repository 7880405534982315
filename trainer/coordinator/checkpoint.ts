import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import * as z from 'zod';
import {
  BASE_ADAPTER,
  DEFAULT_WORKSPACE,
  updateConfigSchema,
  type LearnerRequest,
} from '../../extension/common/contracts/index.ts';
import { workspaceFolder } from '../board/board.ts';
import type { Logger } from '../server/shared/logging.ts';
import { guarded } from '../store/database.ts';
import { makePrivateFolder } from '../store/folder.ts';
import type { Store } from '../store/store.ts';
import type { OutcomeFacts } from '../store/types.ts';

/** What an update is made from, beside the adapter and the optimizer's moments that come of it. */
export const PLAN_FILE = 'checkpoint.json';
const STEP_PREFIX = 'global_step_';

const planSchema = z.object({
  version: z.int(),
  workspaceKey: z.string().default(DEFAULT_WORKSPACE),
  modelHash: z.string(),
  parent: z.int(),
  /** At which the parent is trained on. */
  scale: z.number(),
  /** Of everything random in the update. */
  seed: z.int(),
  config: updateConfigSchema,
  /** Events in the order in which they are trained on, and those that the gate scores. */
  eventIds: z.array(z.string()),
  heldOutIds: z.array(z.string()),
});
export type UpdatePlan = z.infer<typeof planSchema>;

/** File of a version's adapter, in the folder of adapters; the optimizer's moments lie beside it. */
export function adapterFile(workspaceKey: string, version: number, id: string): string {
  return `${stepFolder(workspaceKey, version)}/adapter-${id}.gguf`;
}

/**
 * Writes down what an update is made from before it is begun: one that is cut short is made again from the same, and
 * gives the same adapter. Ids only; the texts stay in the store.
 *
 * @throws HoneError `storage_full`, `data_dir_unusable`
 */
export function writePlan(store: Store, plan: UpdatePlan): void {
  const path = planPath(store, plan.workspaceKey, plan.version);
  guarded(path, () => {
    // The update of another workspace that was to have the number and failed.
    for (const other of plansOf(store, plan.version))
      if (other !== path) rmSync(dirname(other), { recursive: true, force: true });
    makePrivateFolder(dirname(path));
    writeFileSync(path, `${JSON.stringify(plan, null, 2)}\n`, { mode: 0o600 });
  });
}

/**
 * The plan of the update that was begun last, when it was not decided and would be made from the same version with
 * the same configuration; else null.
 */
export function unfinishedPlan(
  store: Store,
  modelHash: string,
  { config, seed }: Pick<Extract<LearnerRequest, { type: 'update' }>, 'config' | 'seed'>,
): UpdatePlan | null {
  const [path] = plansOf(store, store.adapters.nextVersion());
  const plan = path === undefined ? null : readPlan(path);
  if (plan === null || plan.modelHash !== modelHash || plan.seed !== seed) return null;
  const parent = store.adapters.active(modelHash, plan.workspaceKey);
  const scale = store.adapters.get(parent)?.scale ?? BASE_ADAPTER.scale;
  if (plan.parent !== parent || plan.scale !== scale) return null;
  return JSON.stringify(plan.config) === JSON.stringify(updateConfigSchema.parse(config)) ? plan : null;
}

/** The events of a plan in its order; null when one of them is decided about, gone or another adapter's. */
export function eventsOf(
  store: Store,
  plan: UpdatePlan,
  keyOf: (facts: OutcomeFacts) => string,
): OutcomeFacts[] | null {
  const own = store.facts.undecided().filter((facts) => keyOf(facts) === plan.workspaceKey);
  const undecided = new Map(own.map((facts) => [facts.eventId, facts]));
  const events = plan.eventIds.flatMap((id) => undecided.get(id) ?? []);
  return events.length === plan.eventIds.length ? events : null;
}

/** Deletes an adapter file and what lies beside it under its name, such as the optimizer's state; returns the bytes. */
export function removeAdapterFiles(store: Store, file: string): number {
  const path = join(store.adapterDir, file);
  if (!existsSync(dirname(path))) return 0;
  const paths = readdirSync(dirname(path))
    .filter((name) => name.startsWith(basename(path)))
    .map((name) => join(dirname(path), name));
  const bytes = paths.reduce((sum, one) => sum + statSync(one).size, 0);
  for (const one of paths) rmSync(one, { force: true });
  return bytes;
}

/** Deletes a version's checkpoint, its folder included; returns the bytes of the adapter and what lies beside it. */
export function removeCheckpoint(store: Store, file: string): number {
  const bytes = removeAdapterFiles(store, file);
  const folder = dirname(join(store.adapterDir, file));
  if (basename(folder).startsWith(STEP_PREFIX)) rmSync(folder, { recursive: true, force: true });
  return bytes;
}

/** Deletes files that no version owns: candidates of updates that were cut short. The plan of the last one stays. */
export function removeOrphans(store: Store, logger: Logger): void {
  const owned = store.adapters.list().filter((row) => !row.collected);
  const plans = new Set(owned.map((row) => `${dirname(row.file)}/${PLAN_FILE}`));
  const [last] = plansOf(store, store.adapters.nextVersion());
  if (last !== undefined) plans.add(relative(store.adapterDir, last).split(sep).join('/'));
  const entries = readdirSync(store.adapterDir, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => !one.isDirectory())) {
    const path = join(entry.parentPath, entry.name);
    const file = relative(store.adapterDir, path).split(sep).join('/');
    if (plans.has(file) || owned.some((row) => file.startsWith(row.file))) continue;
    rmSync(path, { force: true });
    logger.info({ file }, 'Deleted the adapter file of an update that was cut short.');
  }
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith(STEP_PREFIX));
  for (const { parentPath, name } of folders)
    if (readdirSync(join(parentPath, name)).length === 0) rmdirSync(join(parentPath, name));
}

/** The plan in a file; null: there is none, or half of one. */
export function readPlan(path: string): UpdatePlan | null {
  try {
    return planSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // None, or half of one: the update begins anew.
    return null;
  }
}

function planPath(store: Store, workspaceKey: string, version: number): string {
  return join(store.adapterDir, stepFolder(workspaceKey, version), PLAN_FILE);
}

/** Plans of a version, whose number is given once, in whichever workspace's folder. */
function plansOf(store: Store, version: number): string[] {
  return readdirSync(store.adapterDir)
    .map((folder) => join(store.adapterDir, folder, `${STEP_PREFIX}${version}`, PLAN_FILE))
    .filter((path) => existsSync(path));
}

function stepFolder(workspaceKey: string, version: number): string {
  return `${workspaceFolder(workspaceKey)}/${STEP_PREFIX}${version}`;
}
