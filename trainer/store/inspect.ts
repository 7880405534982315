/** Looks into a data folder's database without changing it; a companion may be running on it. */
import Database from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE, guarded } from './database.ts';
import { MIGRATIONS } from './migrations.ts';

const NEWEST_RUNS = 3;

export interface DatabaseReport {
  /** Version of its schema, and the one that this program writes. */
  schema: number;
  knownSchema: number;
  /** First sentence of SQLite's integrity check; null: sound. */
  damage: string | null;
  /** Null: the schema is another one. */
  contents: DatabaseContents | null;
}

export interface DatabaseContents {
  /** Completions that were served and recorded, and how many of them at temperature 0. */
  completions: number;
  greedy: number;
  /** Outcomes by what became of them; `trained` were used by an update, whatever the gate said. */
  heldOut: number;
  undecided: number;
  trained: number;
  dropped: Record<string, number>;
  /** Newest first. */
  runs: { decision: string; reason: string }[];
}

/**
 * Null when there is no database yet.
 *
 * @throws HoneError (`data_dir_unusable`) when it can't be read as one.
 */
export function inspectDatabase(dataDir: string): DatabaseReport | null {
  const path = join(dataDir, DATABASE_FILE);
  if (!existsSync(path)) return null;
  return guarded(path, () => {
    const database = new Database(path, { readonly: true, fileMustExist: true });
    try {
      const schema = database.pragma('user_version', { simple: true }) as number;
      const [first] = database.pragma('integrity_check(1)') as { integrity_check: string }[];
      const verdict = first?.integrity_check ?? 'no answer';
      return {
        schema,
        knownSchema: MIGRATIONS.length,
        damage: verdict === 'ok' ? null : verdict,
        contents: schema === MIGRATIONS.length ? contentsOf(database) : null,
      };
    } finally {
      database.close();
    }
  });
}

function contentsOf(database: Database.Database): DatabaseContents {
  const served = database
    .prepare(
      "SELECT count(*) AS completions, total(temperature <= 0) AS greedy FROM completions WHERE source = 'served'",
    )
    .get() as { completions: number; greedy: number };
  const counts = database.prepare('SELECT * FROM outcome_counts WHERE number > 0').all() as {
    held_out: number;
    state: string;
    drop_reason: string;
    number: number;
  }[];
  const sum = (matches: (row: (typeof counts)[number]) => boolean): number =>
    counts.filter(matches).reduce((total, row) => total + row.number, 0);
  const dropped: Record<string, number> = {};
  for (const row of counts)
    if (row.held_out === 0 && row.state === 'dropped')
      dropped[row.drop_reason] = (dropped[row.drop_reason] ?? 0) + row.number;
  return {
    ...served,
    heldOut: sum((row) => row.held_out === 1),
    undecided: sum((row) => row.held_out === 0 && row.state === 'new'),
    trained: sum((row) => row.held_out === 0 && (row.state === 'trained' || row.state === 'refused')),
    dropped,
    runs: database
      .prepare('SELECT decision, reason FROM runs ORDER BY seq DESC LIMIT ?')
      .all(NEWEST_RUNS) as DatabaseContents['runs'],
  };
}
