import type Database from 'better-sqlite3';
import * as z from 'zod';
import { DEFAULT_WORKSPACE, type DataScope } from '../../extension/common/contracts/index.ts';
import { FORGOTTEN_MS } from '../../extension/common/data/extensionRows.ts';
import { clearDeletedBytes } from '../../extension/common/data/rowDatabase.ts';
import { dropVersions } from './dropVersions.ts';
import { HoneError } from '../server/shared/errors.ts';

/** What is left to do outside of the tables when their rows are gone: files, and the bytes of the database. */
const pendingSchema = z.object({
  /** Nothing is left: every file of what was learned goes. */
  all: z.boolean(),
  versions: z.array(z.int()),
  runIds: z.array(z.string()),
  /** Keys whose folders go whole. */
  workspaces: z.array(z.string()).default([]),
});
export type PendingErasure = z.infer<typeof pendingSchema>;

/** What one deletion took out of the tables. */
export interface Erased {
  completions: number;
  events: number;
  versions: number[];
  requeued: number;
}

export interface EraseTable {
  /**
   * Deletes the rows in one durable transaction, with the adapters that learned from them, and writes down what is
   * left to do: a process that is killed leaves it to the next.
   */
  rows(scope: DataScope, now: number): Erased;
  /** What a deletion has left to do; null: nothing. */
  pending(): PendingErasure | null;
  /** Of the ids, those that no event has any more. */
  missingEvents(ids: string[]): string[];
  /**
   * Writes the database anew and empties its log, so that no byte of a deleted row is left in either.
   *
   * @throws HoneError `data_busy` when another program reads it for too long.
   */
  clean(): void;
  /** Everything that `pending` told is done. */
  done(): void;
}

const PENDING = 'erasure';
/** Emptied when everything goes, in this order. What was learned of no one stays: the schema and the forgotten ids. */
const TABLES = [
  'events',
  'completions',
  'trained',
  'runs',
  'adapters',
  'active',
  'models',
  'counters',
  'meta',
];

/** Deletion of what the store knows, really. */
export function createEraseTable(database: Database.Database): EraseTable {
  const getMeta = database.prepare('SELECT value FROM meta WHERE name = ?').pluck();
  const setMeta = database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)');
  const pending = (): PendingErasure | null => {
    const value = getMeta.get(PENDING) as string | undefined;
    return value === undefined ? null : pendingSchema.parse(JSON.parse(value));
  };

  function rows(scope: DataScope, now: number): Erased {
    const before = pending() ?? { all: false, versions: [], runIds: [], workspaces: [] };
    const completionIds = completionsIn(database, scope);
    const eventIds = eventsAbout(database, completionIds, scope);
    forget(database, { completionIds, eventIds, scope, now });
    if (scope.kind === 'all') return everything(before);
    const dropped = dropVersions(database, scope, eventIds);
    for (const key of ownWorkspace(scope))
      database.prepare('DELETE FROM runs WHERE workspace_key = ?').run(key);
    const ids = JSON.stringify(completionIds);
    const count = (sql: string): number => database.prepare(sql).run(ids).changes;
    const events = count('DELETE FROM events WHERE completion_id IN (SELECT value FROM json_each(?))');
    const completions = count('DELETE FROM completions WHERE id IN (SELECT value FROM json_each(?))');
    setMeta.run(
      PENDING,
      JSON.stringify({
        all: before.all,
        versions: [...before.versions, ...dropped.versions],
        runIds: [...before.runIds, ...dropped.runIds],
        workspaces: [...before.workspaces, ...ownWorkspace(scope)],
      } satisfies PendingErasure),
    );
    return { completions, events, versions: dropped.versions, requeued: dropped.requeued };
  }

  function everything(before: PendingErasure): Erased {
    const number = (table: string): number =>
      database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
    const versions = database.prepare('SELECT version FROM adapters WHERE collected = 0').pluck().all();
    const erased = { completions: number('completions'), events: number('events'), requeued: 0 };
    for (const table of TABLES) database.exec(`DELETE FROM ${table}`);
    setMeta.run(PENDING, JSON.stringify({ ...before, all: true } satisfies PendingErasure));
    return { ...erased, versions: versions as number[] };
  }

  return {
    rows: (scope, now) => database.transaction(rows).immediate(scope, now),
    pending,
    missingEvents: (ids) =>
      database
        .prepare('SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM events)')
        .pluck()
        .all(JSON.stringify(ids)) as string[],
    clean() {
      if (clearDeletedBytes(database)) return;
      throw new HoneError(
        'data_busy',
        'The rows are deleted, but another program reads the database, so their bytes could not be cleared yet. Delete again when it is done; the next start does it, too.',
      );
    },
    done: () => void database.prepare('DELETE FROM meta WHERE name = ?').run(PENDING),
  };
}

/** The workspace whose own updates go with a scope; what names no workspace has the shared ones, which others use. */
function ownWorkspace(scope: DataScope): string[] {
  return scope.kind === 'workspace' && scope.key !== DEFAULT_WORKSPACE ? [scope.key] : [];
}

/** Ids of the completions in a scope, also of those that only events tell of. */
function completionsIn(database: Database.Database, scope: DataScope): string[] {
  const select = (sql: string, ...parameters: unknown[]): string[] =>
    database
      .prepare(sql)
      .pluck()
      .all(...parameters) as string[];
  switch (scope.kind) {
    case 'all':
      return select('SELECT id FROM completions UNION SELECT completion_id FROM events');
    case 'workspace':
      return select(
        `SELECT id FROM completions WHERE workspace_key = @key
         UNION SELECT completion_id FROM events
           WHERE kind IN ('outcome', 'flat')
             AND coalesce(json_extract(body, '$.workspaceKey'), json_extract(body, '$.project')) = @key`,
        { key: scope.key },
      );
    case 'event':
      return select(
        'SELECT completion_id FROM events WHERE id = @id UNION SELECT @id WHERE @id NOT IN (SELECT id FROM events)',
        { id: scope.id },
      );
  }
}

/** Ids of the events about completions; the scope's own id too, which runs may know when the event is pruned. */
function eventsAbout(database: Database.Database, completionIds: string[], scope: DataScope): string[] {
  const ids = database
    .prepare('SELECT id FROM events WHERE completion_id IN (SELECT value FROM json_each(?))')
    .pluck()
    .all(JSON.stringify(completionIds)) as string[];
  return scope.kind === 'event' && !ids.includes(scope.id) ? [...ids, scope.id] : ids;
}

/** Remembers the ids of what more may come of: of what was asked for, or named, within a day. */
function forget(
  database: Database.Database,
  { completionIds, eventIds, scope, now }: Doomed & { scope: DataScope; now: number },
): void {
  const named = scope.kind === 'event';
  const remember = database.prepare(
    `INSERT OR REPLACE INTO forgotten SELECT value, @now FROM json_each(@ids)
       WHERE @named OR value IN (SELECT id FROM completions WHERE created_at > @since)
         OR value IN (SELECT id FROM events WHERE received_at > @since)`,
  );
  const ids = JSON.stringify([...completionIds, ...eventIds]);
  remember.run({ ids, now, named: named ? 1 : 0, since: now - FORGOTTEN_MS });
}

interface Doomed {
  completionIds: string[];
  eventIds: string[];
}
