/** `hone adapters`: the registry of what was learned. */
import type { Command } from 'commander';
import { join } from 'node:path';
import {
  adapterCollectionSchema,
  adapterListSchema,
  DEFAULT_WORKSPACE,
  type AdapterCollection,
} from '../../extension/common/contracts/index.ts';
import { servedScale } from '../../extension/common/status/adapterChoices.ts';
import { collectAdapters } from '../coordinator/registry.ts';
import { mergeServed, servedByVersion } from '../monitor/watch.ts';
import { lockDataFolder, runningCompanion } from '../lock.ts';
import { HoneError } from '../server/shared/errors.ts';
import { BASE_VERSION } from '../store/adapters.ts';
import { openStore, type Store } from '../store/store.ts';
import type { AdapterRow } from '../store/types.ts';
import { addCommonOptions, parseInteger, type CommonOptions } from './options.ts';
import { addTokenOptions, askRunning, type TokenOptions } from './running.ts';

type AdapterOptions = CommonOptions & TokenOptions;
type WorkspaceOptions = AdapterOptions & { workspace?: string };

const MEGABYTE = 1e6;
/** Of a workspace's key in a list; `--json` and `show` tell all of it. */
const KEY_CHARACTERS = 8;

/** Adds `adapters` with its sub-commands; without one it lists. */
export function addAdaptersCommand(program: Command): void {
  const adapters = program
    .command('adapters')
    .description('the adapters that were trained, with gate figures');
  const add = (name: string, description: string) =>
    addTokenOptions(addCommonOptions(adapters.command(name).description(description)));
  addTokenOptions(
    addCommonOptions(adapters.command('list', { isDefault: true }).description('every version')),
  ).action((options: AdapterOptions) => list(options));
  add('show', 'one version with its figures')
    .argument('<version>', 'version', parseInteger)
    .action((version: number, options: AdapterOptions) => show(version, options));
  add('activate', 'bring a version into service, 0 for the base model')
    .argument('<version>', 'version', parseInteger)
    .option('--workspace <key>', 'only for this workspace; default: the one that the version was learned in')
    .action((version: number, options: WorkspaceOptions) => activate(version, options));
  add('rollback', 'serve the version that the one in service was made from')
    .option('--workspace <key>', 'the version of this workspace; default: the shared one')
    .action((options: WorkspaceOptions) => rollBack(options));
  add('gc', 'delete the files of rejected and rolled-back versions').action((options: AdapterOptions) =>
    collect(options),
  );
}

function list(options: AdapterOptions): void {
  withStore(options, (store) => {
    const rows = listed(store);
    if (options.json) {
      console.log(
        JSON.stringify({ adapters: rows.map((row) => ({ ...row, active: isActive(store, row) })) }),
      );
      return;
    }
    const model = rows.at(-1)?.modelHash;
    const base = model === undefined ? {} : (servedByVersion(store, model).get(BASE_VERSION) ?? {});
    console.log('version  parent  status         λ  gain/token        taken       p50  created');
    console.log(
      ['      0       -  base       ', '    ', ' '.repeat(10), ...servedColumns(base)].join('  ').trimEnd(),
    );
    for (const row of rows) console.log(lineOf(store, row));
  });
}

/** Every version with what it served as far as that is stored. */
function listed(store: Store): AdapterRow[] {
  const rows = store.adapters.list();
  const served = new Map(
    [...new Set(rows.map((row) => row.modelHash))].map((hash) => [hash, servedByVersion(store, hash)]),
  );
  return rows.map((row) => {
    const own = served.get(row.modelHash)!.get(row.version);
    return { ...row, figures: mergeServed(row.figures, own) };
  });
}

function show(version: number, options: AdapterOptions): void {
  withStore(options, (store) => {
    const row = listed(store).find((one) => one.version === version);
    if (row === undefined) {
      const existing = store.adapters.list().map((one) => one.version);
      throw new HoneError(
        'unknown_adapter',
        existing.length === 0
          ? `There is no adapter ${version}: nothing has been learned yet.`
          : `There is no adapter ${version} to show. Versions: ${existing.join(', ')}.`,
      );
    }
    const run = store.runs.list().find((one) => one.version === version) ?? null;
    const shown = { ...row, active: isActive(store, row), path: join(store.adapterDir, row.file), run };
    console.log(options.json ? JSON.stringify(shown) : JSON.stringify(shown, null, 2));
  });
}

async function activate(version: number, options: WorkspaceOptions): Promise<void> {
  const running = runningCompanion(options.dataDir);
  if (running !== null) {
    const path = `/api/adapters/${version}/activate${queryOf(options)}`;
    const { adapters } = await askRunning(running, options, 'POST', path, adapterListSchema);
    return report(
      options,
      version,
      keyOf(
        options,
        adapters.find((one) => one.version === version),
      ),
    );
  }
  const hash = await modelHash(options);
  withOwnStore(options, (store) => {
    const key = keyOf(options, store.adapters.get(version));
    store.adapters.activate(hash, key, version);
    report(options, version, key);
  });
}

async function rollBack(options: WorkspaceOptions): Promise<void> {
  const key = keyOf(options, null);
  const running = runningCompanion(options.dataDir);
  if (running !== null) {
    const path = `/api/adapters/rollback${queryOf(options)}`;
    const { active } = await askRunning(running, options, 'POST', path, adapterListSchema);
    return report(options, active, key);
  }
  const hash = await modelHash(options);
  withOwnStore(options, (store) => report(options, store.adapters.rollBack(hash, key), key));
}

async function collect(options: AdapterOptions): Promise<void> {
  const running = runningCompanion(options.dataDir);
  const collected: AdapterCollection =
    running === null
      ? withOwnStore(options, collectAdapters)
      : await askRunning(running, options, 'POST', '/api/adapters/gc', adapterCollectionSchema);
  if (options.json) console.log(JSON.stringify(collected));
  else
    console.log(`Deleted ${collected.versions.length} files, ${(collected.bytes / MEGABYTE).toFixed(1)} MB.`);
}

/** The model that a version would be served with. */
async function modelHash(options: AdapterOptions): Promise<string> {
  const { hashModelFile, readModelFile } = await import('../inference/modelFile.ts');
  await readModelFile(options.model);
  return hashModelFile(options.model, options.dataDir);
}

/** The workspace that a command is about: the one that is named, else the version's own. */
function keyOf({ workspace }: WorkspaceOptions, version: { workspaceKey: string } | null = null): string {
  return workspace ?? version?.workspaceKey ?? DEFAULT_WORKSPACE;
}

function queryOf({ workspace }: WorkspaceOptions): string {
  return workspace === undefined ? '' : `?workspace=${encodeURIComponent(workspace)}`;
}

function report(options: AdapterOptions, active: number, key: string): void {
  const where = key === DEFAULT_WORKSPACE ? '' : ` for workspace ${key}`;
  console.log(options.json ? JSON.stringify({ active }) : `Version ${active} is in service${where}.`);
}

/** Reading is safe beside a running companion. */
function withStore<T>(options: AdapterOptions, work: (store: Store) => T): T {
  const store = openStore(options.dataDir);
  try {
    return work(store);
  } finally {
    store.close();
  }
}

/** Writing is for the one that holds the folder. */
function withOwnStore<T>(options: AdapterOptions, work: (store: Store) => T): T {
  const lock = lockDataFolder(options.dataDir);
  try {
    return withStore(options, work);
  } finally {
    lock.release();
  }
}

function isActive(store: Store, row: AdapterRow): boolean {
  return store.adapters.active(row.modelHash, row.workspaceKey) === row.version;
}

function lineOf(store: Store, row: AdapterRow): string {
  const gain = row.figures['gate/gain_per_token'];
  return [
    `${String(row.version).padStart(7)}`,
    `${String(row.parent).padStart(6)}`,
    row.status.padEnd(11),
    servedScale(row).toFixed(2),
    (gain === undefined ? '-' : gain.toFixed(4)).padStart(10),
    ...servedColumns(row.figures),
    new Date(row.createdAt).toISOString(),
    ...fuseNote(row.figures),
    ...(row.workspaceKey === DEFAULT_WORKSPACE
      ? []
      : [`workspace ${row.workspaceKey.slice(0, KEY_CHARACTERS)}`]),
    ...(isActive(store, row) ? ['in service'] : []),
    ...(row.collected ? ['file deleted'] : []),
  ].join('  ');
}

/** How much was taken of the version's own suggestions, and how long one took. */
function servedColumns(figures: AdapterRow['figures']): [taken: string, latency: string] {
  const judged = figures['served/judged'] ?? 0;
  const rate = (100 * (figures['served/accept_rate'] ?? 0)).toFixed(0);
  const latency = figures['time/completion_ms_p50'];
  return [
    (judged === 0 ? '-' : `${rate} % of ${judged}`).padStart(11),
    (latency === undefined ? '-' : `${latency.toFixed(0)} ms`).padStart(8),
  ];
}

/** What took the version out of service. */
function fuseNote(figures: AdapterRow['figures']): string[] {
  const target = figures['fuse/target'];
  if (target === undefined) return [];
  return [
    `taken back to ${target}: ${figures['fuse/accepted']} of ${figures['fuse/judged']} taken, ${figures['fuse/accepted_before']} of ${figures['fuse/judged_before']} before`,
  ];
}
