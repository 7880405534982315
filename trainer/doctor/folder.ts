/** The data folder: whether it can be used, what is in it, and who holds it. */
import { existsSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COMPANION_FILE, type CompanionLock } from '../../extension/common/contracts/index.ts';
import { holderOf, lastCompanion } from '../lock.ts';
import { inspectDatabase, type DatabaseReport } from '../store/inspect.ts';
import { ok, problem, problemOf, warning, type Finding } from './finding.ts';

const GIB = 2 ** 30;
/** An update of a large model's adapter, its checkpoint and the database's log need about this. */
const LITTLE_SPACE_BYTES = GIB;
const NO_SPACE_BYTES = 50 * 2 ** 20;

export interface FolderReport {
  findings: Finding[];
  database: DatabaseReport | null;
  /** The companion that holds the folder; `starting` before it has said where it listens. */
  holder: CompanionLock | 'starting' | null;
}

export function lookAtFolder(dataDir: string): FolderReport {
  if (!existsSync(dataDir)) return absent(dataDir);
  // Taking the lock, to see whether it is held, needs a folder that can be written.
  const place = writable(dataDir);
  if (place.status === 'problem') return { findings: [place], database: null, holder: null };
  const { finding, holder } = lockOf(dataDir);
  const { found, database } = databaseOf(dataDir);
  return { findings: [place, space(dataDir), finding, ...found], database, holder };
}

/** Nothing is made that wasn't there: the folder above tells whether it could be. */
function absent(dataDir: string): FolderReport {
  let above = dirname(dataDir);
  while (!existsSync(above)) above = dirname(above);
  const place = writable(above);
  const findings =
    place.status === 'problem'
      ? [place]
      : [ok('dataFolder', `${dataDir} is not there yet; the first start makes it.`), space(above)];
  return { findings, database: null, holder: null };
}

function writable(folder: string): Finding {
  try {
    if (!statSync(folder).isDirectory()) throw new Error('it is no folder');
    const probe = mkdtempSync(join(folder, '.doctor-'));
    try {
      writeFileSync(join(probe, 'file'), 'x');
    } finally {
      rmSync(probe, { recursive: true, force: true });
    }
  } catch (error) {
    return problem(
      'dataFolder',
      `The data folder ${folder} can't be written: ${(error as Error).message}.`,
      'Give this account the right to write there, or choose another folder with --data-dir or `dataDir`.',
    );
  }
  return ok('dataFolder', `${folder} can be written.`);
}

function space(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${(free / GIB).toFixed(1)} GiB are free on the disk of the data folder.`;
  const remedy = 'Free some space: on a full disk nothing is recorded or learned.';
  if (free < NO_SPACE_BYTES) return problem('disk', text, remedy);
  return free < LITTLE_SPACE_BYTES ? warning('disk', text, remedy) : ok('disk', text);
}

function lockOf(dataDir: string): { finding: Finding; holder: FolderReport['holder'] } {
  const last = lastCompanion(dataDir);
  let holder: FolderReport['holder'];
  try {
    holder = holderOf(dataDir);
  } catch (error) {
    return { finding: problemOf('lock', error as Error), holder: null };
  }
  return { finding: lockFinding(holder, last), holder };
}

function lockFinding(holder: FolderReport['holder'], last: CompanionLock | null): Finding {
  if (holder === 'starting') return ok('lock', 'A companion is just starting on this data folder.');
  if (holder !== null)
    return ok(
      'lock',
      `The companion with process id ${holder.pid} holds this data folder since ${timeOf(holder)}, ports ${holder.inferencePort ?? 'not yet'} and ${holder.feedbackPort ?? 'not yet'} of ${holder.host}.`,
    );
  if (last === null) return ok('lock', 'No companion runs on this data folder.');
  return warning(
    'lock',
    `No companion runs on this data folder; the last one (process id ${last.pid}, started ${timeOf(last)}) was killed or crashed: it left ${COMPANION_FILE} behind.`,
    'Nothing needs to be tidied up: the next start replaces it. Why it ended may be at the end of its log.',
  );
}

function timeOf({ startedAt }: CompanionLock): string {
  return new Date(startedAt).toISOString();
}

function databaseOf(dataDir: string): { found: Finding[]; database: DatabaseReport | null } {
  let database: DatabaseReport | null;
  try {
    database = inspectDatabase(dataDir);
  } catch (error) {
    return { found: [problemOf('database', error as Error)], database: null };
  }
  if (database === null) return { found: [ok('database', 'There is no database yet.')], database };
  const { schema, knownSchema, damage } = database;
  const found: Finding[] = [];
  if (damage !== null)
    found.push(
      problem(
        'database',
        `The database is damaged: ${damage}`,
        'Move experience.db and its -wal and -shm away, then Hone begins a new one; adapters in checkpoints/ stay.',
      ),
    );
  if (schema > knownSchema)
    found.push(
      problem(
        'database',
        `The database is of schema ${schema}, this Hone knows ${knownSchema}: a newer one wrote it.`,
        'Update Hone, or choose another folder with --data-dir.',
      ),
    );
  if (found.length > 0) return { found, database };
  const age = schema === knownSchema ? '' : `, which the next start brings to ${knownSchema}`;
  return { found: [ok('database', `The database opens and is sound, schema ${schema}${age}.`)], database };
}
