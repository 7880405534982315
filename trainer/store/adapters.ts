import type Database from 'better-sqlite3';
import { DEFAULT_WORKSPACE } from '../../extension/common/contracts/index.ts';
import { HoneError } from '../server/shared/errors.ts';
import type { AdapterRow, AdapterStatus } from './types.ts';

/** The base model, active where nothing else was made active. */
export const BASE_VERSION = 0;

/** Version in service for a model and a workspace: its own, else the one of what names no workspace, which all share. */
export const ACTIVE_SQL = `SELECT version FROM active
  WHERE model_hash = ? AND workspace_key IN (?, '${DEFAULT_WORKSPACE}')
  ORDER BY workspace_key = '${DEFAULT_WORKSPACE}' LIMIT 1`;

export interface AdapterTable {
  registerModel(model: { hash: string; name: string; path: string }): void;
  list(): AdapterRow[];
  get(version: number): AdapterRow | null;
  /** Version in service for a workspace; of one that has none, the shared one. 0: the base. */
  active(modelHash: string, workspaceKey: string): number;
  /** Versions in service by workspace, of those that are not served by the shared one. */
  activeByWorkspace(modelHash: string): Record<string, number>;
  /** Version for the next candidate; no version is ever given twice. */
  nextVersion(): number;
  /**
   * Makes a version the active one; a workspace that gets the shared one goes on with what that will be.
   *
   * @throws HoneError when it does not exist, belongs to another model or workspace or its file was deleted.
   */
  activate(modelHash: string, workspaceKey: string, version: number): void;
  /**
   * Marks the active version as rolled back and makes its nearest ancestor active that is neither rolled back nor
   * deleted; returns that version. Behind a workspace's first version is the shared one, as it is by then.
   *
   * @throws HoneError when the base is active, or the workspace has no version of its own.
   */
  rollBack(modelHash: string, workspaceKey: string): number;
  /** Rolls back, as often as it takes, until an ancestor of the active version is active, or the shared one is. */
  rollBackTo(modelHash: string, workspaceKey: string, ancestor: number): void;
  setStatus(version: number, status: AdapterStatus): void;
  setScale(version: number, scale: number): void;
  /** Adds figures to a version's, or writes over those of the same name. */
  addFigures(version: number, figures: Record<string, number>): void;
  /** Rejected and rolled-back versions that are active nowhere and whose files are still there. */
  collectable(): AdapterRow[];
  markCollected(version: number): void;
}

/** The registry of adapters, in the tables `adapters` and `active`. */
export function createAdapterTable(database: Database.Database): AdapterTable {
  const select = `SELECT adapters.*, models.name AS model_name FROM adapters
    JOIN models ON models.hash = adapters.model_hash`;
  const upsertModel = database.prepare(
    `INSERT INTO models VALUES (@hash, @name, @path)
     ON CONFLICT (hash) DO UPDATE SET name = @name, path = @path WHERE name <> @name OR path <> @path`,
  );
  const all = database.prepare(`${select} ORDER BY version`);
  const one = database.prepare(`${select} WHERE version = ?`);
  const activeOf = database.prepare(ACTIVE_SQL).pluck();
  const activeOfModel = database.prepare('SELECT workspace_key, version FROM active WHERE model_hash = ?');
  const next = database
    .prepare(
      `SELECT 1 + max(
         coalesce((SELECT max(version) FROM adapters), 0),
         coalesce((SELECT max(version) FROM runs), 0))`,
    )
    .pluck();
  const setActive = database.prepare(
    'INSERT INTO active VALUES (?, ?, ?) ON CONFLICT (model_hash, workspace_key) DO UPDATE SET version = excluded.version',
  );
  const shareAgain = database.prepare('DELETE FROM active WHERE model_hash = ? AND workspace_key = ?');
  const setStatus = database.prepare('UPDATE adapters SET status = ? WHERE version = ?');
  const addFigures = database.prepare(
    'UPDATE adapters SET figures = json_patch(figures, ?) WHERE version = ?',
  );
  const setScale = database.prepare('UPDATE adapters SET scale = ? WHERE version = ?');
  const collectable = database.prepare(
    `${select} WHERE status IN ('rejected', 'rolledBack') AND collected = 0
       AND version NOT IN (SELECT version FROM active) ORDER BY version`,
  );
  const markCollected = database.prepare('UPDATE adapters SET collected = 1 WHERE version = ?');

  const get = (version: number): AdapterRow | null => {
    const row = one.get(version) as AdapterDbRow | undefined;
    return row === undefined ? null : adapterOf(row);
  };
  const active = (modelHash: string, workspaceKey: string): number =>
    (activeOf.get(modelHash, workspaceKey) as number | undefined) ?? BASE_VERSION;

  function activate(modelHash: string, workspaceKey: string, version: number): void {
    if (version !== BASE_VERSION) {
      const row = get(version);
      if (row === null) throw unknownVersion(version, all.all() as AdapterDbRow[]);
      if (row.modelHash !== modelHash)
        throw new HoneError(
          'adapter_other_model',
          `Adapter ${version} belongs to the model ${row.modelName} (${row.modelHash.slice(0, 12)}), not to the one that is loaded. Start the companion with --model and that file to use it.`,
        );
      if (row.collected)
        throw new HoneError(
          'adapter_gone',
          `The file of adapter ${version} was deleted, by "hone adapters gc", by age, or with the data that it had learned from; it can't be used again.`,
        );
      if (row.workspaceKey !== DEFAULT_WORKSPACE && row.workspaceKey !== workspaceKey)
        throw otherWorkspace(row);
    }
    serve(modelHash, workspaceKey, version);
  }

  /** What the shared one is served is not written down for a workspace. */
  function serve(modelHash: string, workspaceKey: string, version: number): void {
    if (workspaceKey !== DEFAULT_WORKSPACE && version === active(modelHash, DEFAULT_WORKSPACE))
      shareAgain.run(modelHash, workspaceKey);
    else setActive.run(modelHash, workspaceKey, version);
  }

  function rollBack(modelHash: string, workspaceKey: string): number {
    const version = active(modelHash, workspaceKey);
    if (version === BASE_VERSION)
      throw new HoneError(
        'nothing_to_roll_back',
        'The base model is in service; there is nothing to roll back.',
      );
    const row = get(version)!;
    if (row.workspaceKey !== workspaceKey)
      throw new HoneError(
        'nothing_to_roll_back',
        `The workspace is served by version ${version}, which is not its own; roll that back without naming a workspace.`,
      );
    setStatus.run('rolledBack', version);
    let ancestor = get(row.parent);
    while (ancestor !== null && (ancestor.status === 'rolledBack' || ancestor.collected))
      ancestor = get(ancestor.parent);
    if (workspaceKey === (ancestor?.workspaceKey ?? DEFAULT_WORKSPACE))
      setActive.run(modelHash, workspaceKey, ancestor?.version ?? BASE_VERSION);
    else shareAgain.run(modelHash, workspaceKey);
    return active(modelHash, workspaceKey);
  }

  return {
    registerModel: (model) => void upsertModel.run(model),
    list: () => (all.all() as AdapterDbRow[]).map(adapterOf),
    get,
    active,
    activeByWorkspace(modelHash) {
      const rows = activeOfModel.all(modelHash) as { workspace_key: string; version: number }[];
      return Object.fromEntries(rows.map((row) => [row.workspace_key, row.version]));
    },
    nextVersion: () => next.get() as number,
    activate,
    rollBack: (modelHash, workspaceKey) => database.transaction(rollBack).immediate(modelHash, workspaceKey),
    rollBackTo: (modelHash, workspaceKey, ancestor) =>
      database
        .transaction(() => {
          const isOwn = (): boolean => get(active(modelHash, workspaceKey))?.workspaceKey === workspaceKey;
          while (active(modelHash, workspaceKey) !== ancestor && isOwn()) rollBack(modelHash, workspaceKey);
        })
        .immediate(),
    setStatus: (version, status) => void setStatus.run(status, version),
    setScale: (version, scale) => void setScale.run(scale, version),
    addFigures: (version, figures) => void addFigures.run(JSON.stringify(figures), version),
    collectable: () => (collectable.all() as AdapterDbRow[]).map(adapterOf),
    markCollected: (version) => void markCollected.run(version),
  };
}

interface AdapterDbRow {
  version: number;
  parent: number;
  file: string;
  model_hash: string;
  model_name: string;
  workspace_key: string;
  status: AdapterStatus;
  scale: number;
  figures: string;
  created_at: number;
  collected: number;
}

function adapterOf(row: AdapterDbRow): AdapterRow {
  return {
    version: row.version,
    parent: row.parent,
    file: row.file,
    modelHash: row.model_hash,
    modelName: row.model_name,
    workspaceKey: row.workspace_key,
    status: row.status,
    scale: row.scale,
    figures: JSON.parse(row.figures) as Record<string, number>,
    createdAt: row.created_at,
    collected: row.collected === 1,
  };
}

function otherWorkspace({ version, workspaceKey }: AdapterRow): HoneError {
  return new HoneError(
    'adapter_other_workspace',
    `Adapter ${version} was learned in the workspace ${workspaceKey} and serves there alone, when training.adapters is "workspace".`,
  );
}

function unknownVersion(version: number, rows: AdapterDbRow[]): HoneError {
  const existing = [BASE_VERSION, ...rows.map((row) => row.version)].join(', ');
  return new HoneError(
    'unknown_adapter',
    `There is no adapter ${version}. Versions that exist: ${existing}.`,
  );
}
