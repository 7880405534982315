import { join } from 'node:path';
import { createAdapterTable, type AdapterTable } from './adapters.ts';
import { createCompletionTable, type CompletionTable } from './completions.ts';
import { DATABASE_FILE, guarded, openDatabase } from './database.ts';
import { createEraseTable, type EraseTable } from './erase.ts';
import { createEventTable, type EventTable } from './events.ts';
import { createFactTable, type FactTable } from './facts.ts';
import { makePrivateFolder } from './folder.ts';
import { DEFAULT_RETENTION, prune, type RetentionLimits } from './prune.ts';
import { createJudgedTable, type JudgedTable } from './judged.ts';
import { createRunTable, type RunTable } from './runs.ts';
import { createServedTable, type ServedTable } from './served.ts';
import type { CompletionRecord, CompletionSink } from './types.ts';

const CHECKPOINT_FOLDER = 'checkpoints';
const CANCELLED = 'cancelled';

/** Everything that the companion remembers, in one SQLite file of the data folder. */
export interface Store extends CompletionSink {
  readonly dataDir: string;
  /** Folder of the adapter files, by workspace and version. */
  readonly adapterDir: string;
  /** The disk was full when it was opened: until there is room nothing can be written. */
  readonly noRoom: boolean;
  readonly completions: CompletionTable;
  readonly events: EventTable;
  readonly facts: FactTable;
  readonly adapters: AdapterTable;
  readonly runs: RunTable;
  readonly served: ServedTable;
  readonly judged: JudgedTable;
  readonly erasure: EraseTable;
  counter(name: string): number;
  count(name: string, by?: number): void;
  /** Deletes what is older or larger than the limits allow. */
  prune(limits?: RetentionLimits, now?: number): number;
  close(): void;
}

/**
 * Opens the store of a data folder, which is made when it is not there.
 *
 * @param maxBytes Size that the database never exceeds; what does not fit is refused as on a full disk.
 *
 * Every call throws HoneError when the folder can't take or give data; nothing is acknowledged then.
 */
export function openStore(dataDir: string, maxBytes?: number): Store {
  const connections = openDatabase(dataDir, maxBytes);
  const { durable, quick, noRoom } = connections;
  const path = join(dataDir, DATABASE_FILE);
  const adapterDir = join(dataDir, CHECKPOINT_FOLDER);
  guarded(path, () => makePrivateFolder(adapterDir));
  const completions = createCompletionTable(connections);
  const addCount = quick.prepare(
    'INSERT INTO counters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value',
  );
  const readCount = quick.prepare('SELECT value FROM counters WHERE name = ?').pluck();
  const count = (name: string, by = 1): void => guarded(path, () => void addCount.run(name, by));

  return {
    dataDir,
    adapterDir,
    noRoom,
    completions: guardAll(path, completions),
    events: guardAll(path, createEventTable(durable, completions)),
    facts: guardAll(path, createFactTable(durable, completions)),
    adapters: guardAll(path, createAdapterTable(durable)),
    runs: guardAll(path, createRunTable(durable)),
    served: guardAll(path, createServedTable(durable)),
    judged: guardAll(path, createJudgedTable(durable)),
    erasure: guardAll(path, createEraseTable(durable)),
    recordCompletion: (record: CompletionRecord) => guarded(path, () => completions.insert(record)),
    countCancelled: () => count(CANCELLED),
    counter: (name) => (readCount.get(name) as number | undefined) ?? 0,
    count,
    prune: (limits = DEFAULT_RETENTION, now = Date.now()) => guarded(path, () => prune(durable, limits, now)),
    close() {
      quick.close();
      durable.close();
    },
  };
}

/** Every method turns the errors of SQLite into coded ones. */
function guardAll<T extends object>(path: string, table: T): T {
  const entries = Object.entries(table).map(([name, method]) => [
    name,
    (...args: unknown[]) => guarded(path, () => (method as (...args: unknown[]) => unknown)(...args)),
  ]);
  return Object.fromEntries(entries) as T;
}
