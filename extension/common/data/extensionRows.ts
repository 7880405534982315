import type { DataScope } from '../contracts/data.ts';
import type { RowDatabase } from './rowDatabase.ts';

/** How long more may come about a deleted completion, from windows that still follow it. */
export const FORGOTTEN_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes rows of the extension's database: what was shown, what became of it, and what waits to be sent. Part of a
 * transaction.
 */
export function deleteExtensionRows(
  database: RowDatabase,
  scope: DataScope,
  now: number,
): { completions: number; events: number } {
  const ids = JSON.stringify(completionsIn(database, scope));
  const run = (sql: string, parameters: object): number => database.prepare(sql).run(parameters).changes;
  const chosen = 'SELECT value FROM json_each(@ids)';
  run(
    `INSERT OR REPLACE INTO forgotten SELECT value, @now FROM json_each(@ids)
       WHERE @named OR value IN (SELECT id FROM completions WHERE created_at > @since)
         OR value IN (SELECT completion_id FROM events WHERE at > @since)`,
    { ids, now, named: scope.kind === 'event' ? 1 : 0, since: now - FORGOTTEN_MS },
  );
  const ofThem = `SELECT id FROM events WHERE completion_id IN (${chosen})`;
  run(`DELETE FROM refused WHERE event_id IN (${ofThem})${scope.kind === 'all' ? ' OR TRUE' : ''}`, { ids });
  if (scope.kind === 'all') run('DELETE FROM written', {});
  // Their deliveries go with them.
  const events = run(`DELETE FROM events WHERE completion_id IN (${chosen})`, { ids });
  return { events, completions: run(`DELETE FROM completions WHERE id IN (${chosen})`, { ids }) };
}

function completionsIn(database: RowDatabase, scope: DataScope): string[] {
  const select = (sql: string, ...parameters: unknown[]): string[] =>
    (database.prepare(sql).all(...parameters) as { id: string }[]).map(({ id }) => id);
  switch (scope.kind) {
    case 'all':
      return select('SELECT id FROM completions UNION SELECT completion_id AS id FROM events');
    case 'workspace':
      return select(
        `SELECT id FROM completions WHERE workspace_key = @key
         UNION SELECT completion_id AS id FROM events
           WHERE kind = 'outcome' AND json_extract(body, '$.workspaceKey') = @key`,
        { key: scope.key },
      );
    case 'event':
      return select(
        `SELECT completion_id AS id FROM events WHERE id = @id
         UNION SELECT @id AS id WHERE @id NOT IN (SELECT id FROM events)`,
        { id: scope.id },
      );
  }
}
