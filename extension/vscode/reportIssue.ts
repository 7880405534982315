import { homedir } from 'node:os';
import { env, l10n, ProgressLocation, version, window, workspace, type ExtensionContext } from 'vscode';
import { doctorArguments } from '../common/companion.ts';
import { SETTINGS, SETTINGS_SECTION, type Settings } from '../common/contributions.ts';
import { issueReport } from '../common/status/issueReport.ts';
import type { Situation } from '../common/status/statusView.ts';
import { companionOptions } from '../node/companionOptions.ts';
import { runHoneCommand } from '../node/honeCommand.ts';
import type { Paths } from '../node/paths.ts';

/** Opens a document in which a problem can be described, with the state of things filled in. Nothing is sent. */
export async function reportIssue(
  { context, paths, log }: { context: ExtensionContext; paths: Paths; log: readonly string[] },
  settings: Settings,
  situation: Situation,
): Promise<void> {
  const manifest = context.extension.packageJSON as { version: string };
  const content = issueReport({
    version: manifest.version,
    editor: `${env.appName} ${version}`,
    platform: `${process.platform} ${process.arch}, Node ${process.versions.node}`,
    remote: env.remoteName ?? '',
    situation,
    home: homedir(),
    settings: changedSettings(settings),
    doctor: situation.remote === null ? await askDoctor(settings, paths) : null,
    modelPath: settings.modelPath,
    folders: [
      [paths.root, '(the data folder)'],
      [context.extensionPath, '(the extension)'],
    ],
    log,
  });
  await window.showTextDocument(await workspace.openTextDocument({ language: 'markdown', content }));
}

/** What `hone doctor` says of this installation, or why it doesn't. */
async function askDoctor(settings: Settings, paths: Paths): Promise<string> {
  const title = l10n.t('Hone: Looking at the installation');
  const args = doctorArguments(companionOptions(settings, paths));
  try {
    return await window.withProgress({ location: ProgressLocation.Notification, title }, () =>
      runHoneCommand(paths, args, { findsProblems: true }),
    );
  } catch (error) {
    return `It could not be run: ${(error as Error).message}`;
  }
}

function changedSettings(settings: Settings): Record<string, unknown> {
  const changed = (Object.keys(SETTINGS) as (keyof Settings)[]).filter(
    (name) => JSON.stringify(settings[name]) !== JSON.stringify(SETTINGS[name].fallback),
  );
  return Object.fromEntries(
    changed.map((name) => [`${SETTINGS_SECTION}.${SETTINGS[name].key}`, settings[name]]),
  );
}
