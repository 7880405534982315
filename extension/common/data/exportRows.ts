import { CONTRACT_VERSION } from '../contracts/feedback.ts';
import type { ExportEnd, ExportRow } from '../contracts/data.ts';
import type { RowDatabase } from './rowDatabase.ts';

const TOKEN_IDS = /_tokens$/;
const LOGPROBS = /_logprobs$/;
const NUMBER_BYTES = 4;

/** Names of the tables of a database, in the order in which they were made. */
function tablesOf(database: RowDatabase): string[] {
  const rows = database.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid",
  );
  return (rows.all() as { name: string }[]).map(({ name }) => name);
}

/**
 * Every row of every table, a line of JSON each, read as it is asked for, and the end that says how many they were.
 * Nothing else can be done with the connection meanwhile.
 */
export function* exportLines(database: RowDatabase): Generator<string> {
  const rows: ExportEnd['rows'] = {};
  for (const table of tablesOf(database)) {
    rows[table] = 0;
    for (const row of database.prepare(`SELECT * FROM "${table}"`).iterate()) {
      rows[table]++;
      yield lineOf({ table, row: readable(row as Record<string, unknown>) });
    }
  }
  yield lineOf({ v: CONTRACT_VERSION, end: true, rows });
}

/** Token ids and log-probabilities as lists of numbers; other bytes in base 64. */
function readable(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? decode(name, value) : value,
    ]),
  );
}

function lineOf(value: ExportRow | ExportEnd): string {
  return `${JSON.stringify(value)}\n`;
}

function decode(name: string, bytes: Uint8Array): unknown {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const numbers = (read: (at: number) => number): number[] =>
    Array.from({ length: bytes.length / NUMBER_BYTES }, (_, index) => read(index * NUMBER_BYTES));
  if (TOKEN_IDS.test(name)) return numbers((at) => view.getUint32(at, true));
  // One that was not asked for is not a number, null in JSON.
  if (LOGPROBS.test(name)) return numbers((at) => view.getFloat32(at, true));
  return Buffer.from(bytes).toString('base64');
}
