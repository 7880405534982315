/** `hone data`: everything that is recorded, to take along or to delete. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import {
  dataScopeSchema,
  deletionPath,
  deletionSchema,
  trainingStatusSchema,
  type DataScope,
  type ExportManifest,
} from '../../extension/common/contracts/index.ts';
import { deleteExtensionData, deleteOwnData } from '../data/deleteData.ts';
import { exportFolder } from '../data/exportFolder.ts';
import { lockDataFolder, runningCompanion } from '../lock.ts';
import type { Erased } from '../store/erase.ts';
import { addCommonOptions, type CommonOptions } from './options.ts';
import { addTokenOptions, askRunning, type TokenOptions } from './running.ts';

const STATUS_PATH = '/api/training/status';

interface DeleteOptions extends CommonOptions, TokenOptions {
  all?: true;
  workspace?: string;
  event?: string;
}

/** Adds `data` with its sub-commands. */
export function addDataCommand(program: Command): void {
  const data = program.command('data').description('everything that is recorded: export it, delete it');
  addCommonOptions(
    data.command('export').description('write everything into a new folder: JSON lines, adapters, curves'),
  )
    .argument('<folder>', 'folder to make')
    .action(exportAll);
  const remove = data
    .command('delete')
    .description('delete what is recorded, and the adapters that learned from it');
  addTokenOptions(addCommonOptions(remove))
    .option('--all', 'everything')
    .option('--workspace <key>', 'what was recorded in one workspace, by the key that an export shows')
    .option('--event <id>', 'one completion, by its id or that of an event about it')
    .action((options: DeleteOptions) => deleteSome(options, remove));
}

async function exportAll(folder: string, options: CommonOptions): Promise<void> {
  // Nothing was recorded there, or a path was mistyped: the export is the same, so it is said.
  if (!existsSync(options.dataDir))
    console.error(`hone: there is no data folder ${options.dataDir}; the export is empty.`);
  const manifest = await exportFolder(options.dataDir, resolve(folder));
  console.log(options.json ? JSON.stringify(manifest) : describeExport(manifest, folder));
}

async function deleteSome(options: DeleteOptions, command: Command): Promise<void> {
  const scope = scopeOf(options, command);
  const running = runningCompanion(options.dataDir);
  // One that refuses refuses before anything is deleted. The extension's rows go first, or it would send them again.
  if (running !== null) await askRunning(running, options, 'GET', STATUS_PATH, trainingStatusSchema);
  const extension = deleteExtensionData(options.dataDir, scope);
  const deletion =
    running === null
      ? deleteUnderLock(options.dataDir, scope)
      : await askRunning(running, options, 'DELETE', deletionPath(scope), deletionSchema);
  if (options.json) console.log(JSON.stringify({ ...deletion, extension }));
  else console.log(describeDeletion(deletion, extension));
}

function deleteUnderLock(dataDir: string, scope: DataScope): Erased {
  const lock = lockDataFolder(dataDir);
  try {
    return deleteOwnData(dataDir, scope);
  } finally {
    lock.release();
  }
}

/** Exactly one of the three says what; nothing is deleted by a slip. */
function scopeOf({ all, workspace, event }: DeleteOptions, command: Command): DataScope {
  const told = [
    ...(all === undefined ? [] : [{ kind: 'all' }]),
    ...(workspace === undefined ? [] : [{ kind: 'workspace', key: workspace }]),
    ...(event === undefined ? [] : [{ kind: 'event', id: event }]),
  ];
  const scope = told.length === 1 ? dataScopeSchema.safeParse(told[0]) : undefined;
  if (scope?.success === true) return scope.data;
  return command.error('Say what to delete: --all, --workspace KEY or --event ID, one of them.');
}

function describeExport({ rows, files }: ExportManifest, folder: string): string {
  const count = Object.values(rows)
    .flatMap((tables) => Object.values(tables))
    .reduce((sum, number) => sum + number, 0);
  return `Wrote ${count} rows and ${files.length} other files to ${folder}.`;
}

function describeDeletion(
  { completions, events, versions, requeued }: Erased,
  extension: ReturnType<typeof deleteExtensionData>,
): string {
  const lines = [`Deleted ${completions} completions and ${events} events.`];
  if (extension !== null)
    lines.push(
      `In the extension's database: ${extension.completions} suggestions and ${extension.events} events.`,
    );
  if (versions.length > 0)
    lines.push(
      `Adapters that had learned from them are gone: ${versions.join(', ')}. ${requeued} other events are learned from again.`,
    );
  return lines.join('\n');
}
