import { join } from 'node:path';
import { l10n, ProgressLocation, window, workspace } from 'vscode';
import type { DataScope, Deletion } from '../common/contracts/data.ts';
import type { CommandName } from '../common/contributions.ts';
import type { Backend } from '../node/backend.ts';
import { runHoneCommand } from '../node/honeCommand.ts';
import type { Paths } from '../node/paths.ts';
import { workspaceKeyOf } from '../node/workspaceKey.ts';
import type { Action } from './commands.ts';
import type { Completing } from './completing.ts';

/** In an exported folder: the rows of the companion on another machine that serves. */
const OTHER_MACHINE_ROWS = 'other-machine.jsonl';

export interface DataParts {
  paths: Paths;
  backend: Backend;
  completing: Completing;
}

/** Commands about everything that is recorded. */
export function dataCommands(parts: DataParts) {
  return {
    exportData: () => exportData(parts),
    deleteData: () => askWhatToDelete(parts),
  } satisfies Partial<Record<CommandName, Action>>;
}

/**
 * Deletes what is recorded in a scope, everywhere, and what this window keeps of it in memory. Returns what the
 * companion deleted; null: it does as soon as it runs.
 */
async function deleteRecorded(
  { paths, backend, completing }: DataParts,
  scope: DataScope,
): Promise<Deletion | null> {
  completing.forgetData(scope);
  const deletion = await backend.deleteData(scope);
  // While one on another machine serves, the one here has what was recorded before.
  if (backend.connection.remote !== null)
    await runHoneCommand(paths, ['data', 'delete', ...optionOf(scope), '--data-dir', paths.companionDir]);
  return deletion;
}

/** Deletes one suggestion after the user has said so again, and says what went with it. */
export async function forgetSuggestion(parts: DataParts, id: string): Promise<void> {
  const forget = l10n.t('Forget');
  const detail = l10n.t(
    'What is recorded of it goes, and every adapter that learned from it; what else those learned is learned anew. It can’t be undone.',
  );
  const question = l10n.t('Forget this suggestion?');
  if ((await window.showWarningMessage(question, { modal: true, detail }, forget)) !== forget) return;
  const deletion = await withProgress(l10n.t('Forgetting'), () =>
    deleteRecorded(parts, { kind: 'event', id }),
  );
  void window.showInformationMessage(`Hone: ${describe([deletion])}`);
}

async function exportData({ paths, backend }: DataParts): Promise<void> {
  if (backend.connection.remote !== null && !backend.client)
    throw new Error(l10n.t('The other machine can’t be reached, and what it has recorded is part of it.'));
  const chosen = await window.showOpenDialog({
    title: l10n.t('Folder to put the export in'),
    openLabel: l10n.t('Export Here'),
    canSelectFiles: false,
    canSelectFolders: true,
  });
  if (!chosen) return;
  const folder = join(chosen[0]!.fsPath, `hone-export-${stamp(new Date())}`);
  await withProgress(l10n.t('Exporting'), async () => {
    await runHoneCommand(paths, ['data', 'export', folder, '--data-dir', paths.companionDir, '--json']);
    if (backend.connection.remote !== null) await backend.client?.exportTo(join(folder, OTHER_MACHINE_ROWS));
  });
  void window.showInformationMessage(
    l10n.t('Hone: everything that is recorded is in {0}; manifest.json says what is what.', folder),
  );
}

async function askWhatToDelete(parts: DataParts): Promise<void> {
  const everything = l10n.t('Everything');
  const here = l10n.t('This Workspace');
  const detail = l10n.t(
    'Suggestions, what became of them, what you typed instead, the adapters that learned from it, their curves and logs. It can’t be undone. Settings stay.',
  );
  const { remote } = parts.backend.connection;
  const elsewhere =
    remote === null ? '' : ` ${l10n.t('Also on {0}, whoever it was recorded for.', remote.host)}`;
  const folders = workspace.workspaceFolders ?? [];
  const choices = folders.length === 0 ? [everything] : [everything, here];
  const chosen = await window.showWarningMessage(
    l10n.t('Delete what Hone has recorded?'),
    { modal: true, detail: detail + elsewhere },
    ...choices,
  );
  if (chosen === undefined) return;
  const scopes: DataScope[] =
    chosen === everything
      ? [{ kind: 'all' }]
      : folders.map(({ uri }) => ({ kind: 'workspace', key: workspaceKeyOf(uri.toString()) }));
  const deletions = await withProgress(l10n.t('Deleting'), async () => {
    const done: (Deletion | null)[] = [];
    for (const scope of scopes) done.push(await deleteRecorded(parts, scope));
    return done;
  });
  void window.showInformationMessage(`Hone: ${describe(deletions)}`);
}

function describe(deletions: (Deletion | null)[]): string {
  if (deletions.includes(null))
    return l10n.t('deleted here. The companion does not run; it deletes its part as soon as it does.');
  const sum = (count: (deletion: Deletion) => number): number =>
    deletions.reduce((total, deletion) => total + count(deletion!), 0);
  return l10n.t(
    'deleted {0} suggestions, {1} events and {2} adapters.',
    sum(({ completions }) => completions),
    sum(({ events }) => events),
    sum(({ versions }) => versions.length),
  );
}

function withProgress<T>(title: string, work: () => Promise<T>): Thenable<T> {
  return window.withProgress({ location: ProgressLocation.Notification, title: `Hone: ${title}` }, work);
}

function optionOf(scope: DataScope): string[] {
  switch (scope.kind) {
    case 'all':
      return ['--all'];
    case 'workspace':
      return ['--workspace', scope.key];
    case 'event':
      return ['--event', scope.id];
  }
}

/** `2026-01-31T12-00-00`: a name that every file system takes. */
function stamp(at: Date): string {
  return at.toISOString().slice(0, 19).replaceAll(':', '-');
}
