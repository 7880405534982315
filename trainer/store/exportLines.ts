import Database from 'better-sqlite3';
import { exportLines } from '../../extension/common/data/exportRows.ts';

/**
 * Every row of a database, a line of JSON each, as of one moment; the last line says how many they were. Through a
 * connection of its own, which is busy until the last line.
 */
export function* linesOfDatabase(path: string): Generator<string> {
  const reader = new Database(path, { readonly: true, fileMustExist: true });
  try {
    reader.exec('BEGIN');
    yield* exportLines(reader);
  } finally {
    reader.close();
  }
}
