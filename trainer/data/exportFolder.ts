import { createWriteStream, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  exportEndSchema,
  type ExportEnd,
  type ExportManifest,
} from '../../extension/common/contracts/index.ts';
import { HoneError } from '../server/shared/errors.ts';
import { coded, DATABASE_FILE, isStorageFull } from '../store/database.ts';
import { linesOfDatabase } from '../store/exportLines.ts';
import { copyFiles, filesBelow } from './copyFiles.ts';
import { extensionFilesOf } from './installation.ts';

const MANIFEST_FILE = 'manifest.json';
const COMPANION_ROWS = 'companion.jsonl';
const EXTENSION_ROWS = 'extension.jsonl';
/** Folders that are copied as they are: adapters with what they were made from, curves and logs of updates. */
const TREES = ['checkpoints', 'adapters', 'runs'];

/**
 * Writes everything that is recorded into a new folder: every row of the companion's database, and of the extension's
 * where the data folder is one's, as JSON lines; adapters, curves and logs; and a manifest that says what is there.
 * Safe beside a running companion. Tokens are no data about anybody and stay out.
 *
 * @throws HoneError `export_folder_unusable` when the folder can't be made, is there already or lies in the data
 *   folder; `data_dir_unusable`, `storage_full`. The folder is gone again then.
 */
export async function exportFolder(dataDir: string, folder: string): Promise<ExportManifest> {
  refuseInside(dataDir, folder);
  makeNew(folder);
  try {
    return await fill(folder, dataDir);
  } catch (error) {
    // Half an export would pass for a whole one, and stand in the way of the next.
    rmSync(folder, { recursive: true, force: true });
    throw failureOf(folder, error);
  }
}

async function fill(folder: string, dataDir: string): Promise<ExportManifest> {
  const extension = extensionFilesOf(dataDir);
  const rows: ExportManifest['rows'] = {};
  const store = join(dataDir, DATABASE_FILE);
  if (existsSync(store)) rows[COMPANION_ROWS] = await writeRows(store, join(folder, COMPANION_ROWS));
  if (extension !== null)
    rows[EXTENSION_ROWS] = await writeRows(extension.database, join(folder, EXTENSION_ROWS));
  for (const path of [...TREES.map((tree) => join(dataDir, tree)), ...(extension?.logs ?? [])])
    copyFiles(path, join(folder, basename(path)), filesBelow(path));
  const manifest: ExportManifest = {
    v: 1,
    exportedAt: new Date().toISOString(),
    rows,
    files: filesIn(folder).filter(({ path }) => rows[path] === undefined),
  };
  writeFileSync(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  return manifest;
}

/** What is copied must not hold the copy. */
function refuseInside(dataDir: string, folder: string): void {
  const way = relative(resolve(dataDir), resolve(folder));
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return;
  throw new HoneError(
    'export_folder_unusable',
    `The folder ${folder} lies in the data folder, which is copied. Name one outside of it.`,
  );
}

function failureOf(folder: string, error: unknown): unknown {
  const known = coded(folder, error);
  if (error instanceof HoneError || known === error || isStorageFull(known)) return known;
  return new HoneError(
    'export_folder_unusable',
    `The export into ${folder} broke off: ${(error as Error).message}. Nothing of it is kept; mend that and export again.`,
    { cause: error },
  );
}

function makeNew(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    throw new HoneError(
      'export_folder_unusable',
      `Can't make the folder ${folder}: ${(error as Error).message}. Name one that isn't there yet, in a folder that may be written.`,
      { cause: error },
    );
  }
}

/** Streams the rows and returns how many each table has. */
async function writeRows(database: string, path: string): Promise<ExportEnd['rows']> {
  let last = '';
  const lines = function* (): Generator<string> {
    try {
      for (const line of linesOfDatabase(database)) yield (last = line);
    } catch (error) {
      throw coded(database, error);
    }
  };
  await pipeline(
    Readable.from(lines(), { objectMode: false }),
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  );
  return exportEndSchema.parse(JSON.parse(last)).rows;
}

function filesIn(folder: string): ExportManifest['files'] {
  return [...filesBelow(folder)].map((path) => ({
    path: path.split(sep).join('/'),
    bytes: statSync(join(folder, path)).size,
  }));
}
