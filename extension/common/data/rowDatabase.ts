/** What the code of this folder needs of a SQLite connection; better-sqlite3's has it. */
export interface RowDatabase {
  prepare(sql: string): RowStatement;
  exec(sql: string): unknown;
  pragma(text: string): unknown;
}

interface RowStatement {
  run(...parameters: unknown[]): { changes: number };
  all(...parameters: unknown[]): unknown[];
  iterate(...parameters: unknown[]): Iterable<unknown>;
}

/**
 * Writes a database anew and empties its log, so that no byte of a deleted row is left in either.
 *
 * @returns false when another connection reads it for longer than this one waits: the bytes are still there.
 */
export function clearDeletedBytes(database: RowDatabase): boolean {
  if (!emptyLog(database)) return false;
  database.exec('VACUUM');
  return emptyLog(database);
}

/** Moves the write-ahead log into the database and cuts it to nothing. */
function emptyLog(database: RowDatabase): boolean {
  const [result] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  return result?.busy === 0;
}
