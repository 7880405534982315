import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  BASE_ADAPTER,
  DEFAULT_WORKSPACE,
  type AdapterList,
  type AdapterRef,
  type AdapterSummary,
} from '../../extension/common/contracts/index.ts';
import type { Engine } from '../inference/types.ts';
import { mergeServed, servedByVersion } from '../monitor/watch.ts';
import { HoneError } from '../server/shared/errors.ts';
import type { Logger } from '../server/shared/logging.ts';
import { BASE_VERSION } from '../store/adapters.ts';
import type { Store } from '../store/store.ts';
import type { AdapterRow } from '../store/types.ts';
import { removeCheckpoint } from './checkpoint.ts';
import type { Service } from './workspaces.ts';

/**
 * The adapter that the store says is in service, as the engine loads it.
 *
 * @throws HoneError `adapter_gone` when its file is not there.
 */
export function adapterRef(store: Store, version: number): AdapterRef {
  if (version === BASE_VERSION) return BASE_ADAPTER;
  const row = store.adapters.get(version);
  const path = row === null ? null : join(store.adapterDir, row.file);
  if (path === null || !existsSync(path))
    throw new HoneError(
      'adapter_gone',
      `The file of adapter ${version} is not in ${store.adapterDir}. Put it back or activate another version.`,
    );
  return { version, path, scale: row!.scale };
}

/**
 * Loads the version in service of a key into the engine. One that can't be loaded is rolled back to its parent, and
 * so on.
 *
 * @returns what had to be rolled back and why, or null.
 */
export async function loadActive(
  store: Store,
  engine: Engine,
  logger: Logger,
  key = DEFAULT_WORKSPACE,
): Promise<string | null> {
  let trouble: string | null = null;
  for (;;) {
    const version = store.adapters.active(engine.model.hash, key);
    try {
      if (engine.adapter.version !== version) await serveAdapter(engine, key, adapterRef(store, version));
      return trouble;
    } catch (error) {
      // Another request has found out before, or somebody chose another one.
      if (store.adapters.active(engine.model.hash, key) !== version) continue;
      if (store.adapters.get(version)?.workspaceKey !== key) throw error;
      const next = store.adapters.rollBack(engine.model.hash, key);
      trouble = `Adapter ${version} could not be loaded, version ${next} serves instead: ${(error as Error).message}`;
      logger.error({ err: error, version, next }, trouble);
    }
  }
}

/** Opens what the requests of a key are answered with; `adapter` undefined: what the engine has in service for all. */
export async function openFor(
  store: Store,
  engine: Engine,
  logger: Logger,
  key: string,
): Promise<{ adapter: AdapterRef | undefined; trouble: string | null }> {
  if (key === DEFAULT_WORKSPACE) return { adapter: undefined, trouble: null };
  const trouble = await loadActive(store, engine, logger, key);
  const version = store.adapters.active(engine.model.hash, key);
  return { adapter: version === engine.adapter.version ? undefined : adapterRef(store, version), trouble };
}

/**
 * Has the engine serve a version under a key: the shared one in the place of the shared one before, a workspace's
 * beside it.
 *
 * @param before the version that it follows, which no new request is answered with
 */
export async function serveAdapter(
  engine: Engine,
  key: string,
  adapter: AdapterRef,
  before = adapter.version,
): Promise<void> {
  if (key === DEFAULT_WORKSPACE) return engine.useAdapter(adapter);
  await engine.holdAdapter(adapter);
  if (before !== adapter.version) await engine.dropAdapter(before);
}

/**
 * Makes a version the one in service for a key, by hand: whatever the gate said of it. A scale stays with the
 * version and with what is made from it. When it can't be loaded, everything is as if nobody had asked.
 */
export async function activateAdapter(
  store: Store,
  engine: Engine,
  version: number,
  scale?: number,
  key = DEFAULT_WORKSPACE,
): Promise<void> {
  const { hash } = engine.model;
  const before = store.adapters.active(hash, key);
  store.adapters.activate(hash, key, version);
  const scaleBefore = store.adapters.get(version)?.scale ?? BASE_ADAPTER.scale;
  try {
    // Before it is loaded: an update that ends meanwhile sees that its parent has changed.
    if (scale !== undefined) store.adapters.setScale(version, scale);
    await serveAdapter(engine, key, adapterRef(store, version), before);
  } catch (error) {
    store.adapters.setScale(version, scaleBefore);
    // Not over a version that was chosen while this one was loaded.
    if (store.adapters.active(hash, key) === version) store.adapters.activate(hash, key, before);
    throw error;
  }
}

/**
 * Takes the version in service back and serves the one it was made from. When that one can't be loaded, everything is
 * as if nobody had asked.
 *
 * @returns the version that serves now.
 * @throws HoneError when the base or no version of its own is in service, and what loading throws.
 */
export async function rollBackAdapter(
  store: Store,
  engine: Engine,
  key = DEFAULT_WORKSPACE,
): Promise<number> {
  const { hash } = engine.model;
  const version = store.adapters.active(hash, key);
  const before = store.adapters.get(version);
  // The store first: an update that ends meanwhile sees that its parent has changed.
  const next = store.adapters.rollBack(hash, key);
  try {
    await serveAdapter(engine, key, adapterRef(store, next), version);
    return next;
  } catch (error) {
    store.adapters.setStatus(version, before!.status);
    if (store.adapters.active(hash, key) === next) store.adapters.activate(hash, key, version);
    throw error;
  }
}

/**
 * Takes a version back that was to come into service and can't be loaded: the one that serves stays, in the store too.
 *
 * @param before the version that it was to follow
 * @returns the version that serves.
 */
export function withdrawAdapter(
  store: Store,
  engine: Engine,
  key: string,
  before: number,
  version: number,
): number {
  const { hash } = engine.model;
  store.adapters.setStatus(version, 'rolledBack');
  // Not over a version that was chosen by hand meanwhile.
  if (store.adapters.active(hash, key) === version)
    store.adapters.activate(hash, key, key === DEFAULT_WORKSPACE ? engine.adapter.version : before);
  return store.adapters.active(hash, key);
}

/** Versions of a model whose files are there, the base first. */
export function loadableAdapters(store: Store, modelHash: string): AdapterRef[] {
  const rows = store.adapters.list().filter((row) => row.modelHash === modelHash && !row.collected);
  const refs = rows.map(({ version, file, scale }) => ({
    version,
    path: join(store.adapterDir, file),
    scale,
  }));
  return [BASE_ADAPTER, ...refs.filter((ref) => existsSync(ref.path))];
}

/** Every version, the base first, as the feedback service shows them; of a workspace, those that may serve there. */
export function listAdapters(
  store: Store,
  model: { hash: string; name: string },
  { key, version, versions }: Service,
): AdapterList {
  const everywhere = key === DEFAULT_WORKSPACE;
  const active = new Set(everywhere ? versions.values() : [version]);
  const listed = (row: AdapterRow): boolean =>
    everywhere || row.workspaceKey === key || row.workspaceKey === DEFAULT_WORKSPACE;
  const served = servedByVersion(store, model.hash);
  const base: AdapterSummary = {
    version: BASE_VERSION,
    parent: null,
    workspaceKey: DEFAULT_WORKSPACE,
    model: model.name,
    modelHash: model.hash,
    createdAt: 0,
    status: 'base',
    active: active.has(BASE_VERSION),
    scale: BASE_ADAPTER.scale,
    figures: served.get(BASE_VERSION) ?? {},
  };
  return {
    active: version,
    adapters: [
      base,
      ...store.adapters
        .list()
        .filter(listed)
        .map((row) => summaryOf(row, model.hash, active, served)),
    ],
  };
}

/** Deletes the files of rejected and rolled-back versions; their figures stay. */
export function collectAdapters(store: Store): { versions: number[]; bytes: number } {
  let bytes = 0;
  const versions = store.adapters.collectable().map((row) => {
    bytes += removeCheckpoint(store, row.file);
    store.adapters.markCollected(row.version);
    return row.version;
  });
  return { versions, bytes };
}

function summaryOf(
  row: AdapterRow,
  modelHash: string,
  active: ReadonlySet<number>,
  served: ReturnType<typeof servedByVersion>,
): AdapterSummary {
  const own = row.modelHash === modelHash ? served.get(row.version) : undefined;
  return {
    version: row.version,
    parent: row.parent,
    workspaceKey: row.workspaceKey,
    model: row.modelName,
    modelHash: row.modelHash,
    createdAt: row.createdAt,
    status: row.status,
    active: row.modelHash === modelHash && active.has(row.version),
    scale: row.scale,
    figures: mergeServed(row.figures, own),
    collected: row.collected,
  };
}
