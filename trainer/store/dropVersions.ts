import type Database from 'better-sqlite3';
import { DEFAULT_WORKSPACE, type DataScope } from '../../extension/common/contracts/index.ts';
import { BASE_VERSION } from './adapters.ts';

interface Dropped {
  versions: number[];
  runIds: string[];
  /** Events that are in the queue again. */
  requeued: number;
}

interface Version {
  version: number;
  parent: number;
  status: string;
  collected: number;
  workspace: string;
}

/**
 * Takes every adapter out that learned from events that are about to be deleted, directly or through the one that it
 * was made from. The last version that did not is in service then, and the other events of the updates that are gone
 * wait to be learned from again. A version keeps its number, which completions tell of, and nothing else.
 *
 * Part of the transaction that deletes the events; their rows are still there.
 */
export function dropVersions(
  database: Database.Database,
  scope: Exclude<DataScope, { kind: 'all' }>,
  eventIds: string[],
): Dropped {
  const ids = JSON.stringify(eventIds);
  const versions = readVersions(database);
  const dropped = descendants(versions, learnedFrom(database, scope, ids));
  bringBack(database, versions, dropped);
  const numbers = JSON.stringify([...dropped]);
  // One that was dropped before has no run any more.
  const runs = database
    .prepare(
      'SELECT id, version FROM runs WHERE version IN (SELECT value FROM json_each(?)) ORDER BY version',
    )
    .all(numbers) as { id: string; version: number }[];
  const runIds = runs.map(({ id }) => id);
  const requeued = requeue(database, JSON.stringify(runIds), ids);
  const run = (sql: string, parameter: string): void => void database.prepare(sql).run(parameter);
  run('DELETE FROM trained WHERE run_id IN (SELECT value FROM json_each(?))', JSON.stringify(runIds));
  run('DELETE FROM runs WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(runIds));
  run(
    `UPDATE adapters SET status = 'rolledBack', figures = '{}', collected = 1
       WHERE version IN (SELECT value FROM json_each(?))`,
    numbers,
  );
  // The mean of the rewards has seen them, too.
  if (runIds.length > 0) database.exec("DELETE FROM meta WHERE name LIKE 'baseline:%'");
  forgetScores(database, new Set(eventIds));
  return { versions: runs.map(({ version }) => version), runIds, requeued };
}

function readVersions(database: Database.Database): Map<number, Version> {
  const rows = database.prepare(
    'SELECT version, parent, status, collected, workspace_key AS workspace FROM adapters ORDER BY version',
  );
  return new Map((rows.all() as Version[]).map((row) => [row.version, row]));
}

/** Versions whose own update used one of the events, or one of which it isn't known where it came from. */
function learnedFrom(
  database: Database.Database,
  scope: Exclude<DataScope, { kind: 'all' }>,
  ids: string,
): number[] {
  const key = scope.kind === 'workspace' ? scope.key : null;
  return database
    .prepare(
      `SELECT DISTINCT runs.version FROM trained JOIN runs ON runs.id = trained.run_id
         WHERE runs.version IS NOT NULL AND (trained.event_id IN (SELECT value FROM json_each(@ids))
           OR (@key IS NOT NULL AND (trained.workspace_key = @key OR trained.workspace_key IS NULL)))`,
    )
    .pluck()
    .all({ ids, key }) as number[];
}

/** The versions and all that were made from them; a parent's number is always the lower one. */
function descendants(versions: Map<number, Version>, from: number[]): Set<number> {
  const found = new Set(from.filter((version) => versions.has(version)));
  for (const { version, parent } of versions.values()) if (found.has(parent)) found.add(version);
  return found;
}

/**
 * Where a dropped version is in service, its nearest ancestor that is neither dropped nor rolled back and has its file
 * takes its place; of a workspace that has no such version of its own, the shared one does. Ancestors on the way whose
 * files are long deleted are dropped as well: what they knew can only be learned again.
 */
function bringBack(database: Database.Database, versions: Map<number, Version>, dropped: Set<number>): void {
  const rows = database
    .prepare('SELECT rowid AS row, version, workspace_key AS workspace FROM active')
    .all() as {
    row: number;
    version: number;
    workspace: string;
  }[];
  const setVersion = database.prepare('UPDATE active SET version = ? WHERE rowid = ?');
  const shareAgain = database.prepare('DELETE FROM active WHERE rowid = ?');
  for (const { row, version, workspace } of rows) {
    if (!dropped.has(version)) continue;
    let next = version;
    for (;;) {
      const one = versions.get(next);
      if (one === undefined) break;
      const isHere = !dropped.has(next) && one.collected === 0;
      if (isHere && one.status !== 'rolledBack') break;
      if (one.collected === 1) dropped.add(next);
      next = one.parent;
    }
    if ((versions.get(next)?.workspace ?? DEFAULT_WORKSPACE) === workspace)
      setVersion.run(versions.has(next) ? next : BASE_VERSION, row);
    else shareAgain.run(row);
  }
}

/** Puts the events of updates that are gone into the queue again, unless another update has used them. */
function requeue(database: Database.Database, runIds: string, deletedIds: string): number {
  return database
    .prepare(
      `UPDATE outcomes SET state = 'new', drop_reason = NULL
         WHERE state IN ('trained', 'refused')
           AND event_id IN (SELECT event_id FROM trained WHERE run_id IN (SELECT value FROM json_each(@runIds)))
           AND event_id NOT IN (SELECT event_id FROM trained
             WHERE run_id NOT IN (SELECT value FROM json_each(@runIds)))
           AND event_id NOT IN (SELECT value FROM json_each(@deletedIds))`,
    )
    .run({ runIds, deletedIds }).changes;
}

/** Lists of scores by name, and what else the gate was told. */
type Scores = Record<string, { id: string }[] | boolean>;

/** Takes what a gate said of held-out events out of the runs that stay: they did not learn from them. */
function forgetScores(database: Database.Database, eventIds: ReadonlySet<string>): void {
  const read = database.prepare('SELECT scores FROM runs WHERE seq = ?').pluck();
  const write = database.prepare('UPDATE runs SET scores = ? WHERE seq = ?');
  for (const seq of database.prepare('SELECT seq FROM runs').pluck().all() as number[]) {
    const scores = JSON.parse(read.get(seq) as string) as Scores | null;
    if (scores === null) continue;
    let forgotten = 0;
    const kept = Object.entries(scores).map(([name, list]) => {
      if (typeof list === 'boolean') return [name, list] as const;
      const others = list.filter(({ id }) => !eventIds.has(id));
      forgotten += list.length - others.length;
      return [name, others] as const;
    });
    if (forgotten > 0) write.run(JSON.stringify(Object.fromEntries(kept)), seq);
  }
}
