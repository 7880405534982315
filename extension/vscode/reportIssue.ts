import { homedir } from 'node:os';
import { env, version, window, workspace, type ExtensionContext } from 'vscode';
import { SETTINGS, SETTINGS_SECTION, type Settings } from '../common/contributions.ts';
import { issueReport } from '../common/status/issueReport.ts';
import type { Situation } from '../common/status/statusView.ts';

/** Opens a document in which a problem can be described, with the state of things filled in. Nothing is sent. */
export async function reportIssue(
  context: ExtensionContext,
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
  });
  await window.showTextDocument(await workspace.openTextDocument({ language: 'markdown', content }));
}

function changedSettings(settings: Settings): Record<string, unknown> {
  const changed = (Object.keys(SETTINGS) as (keyof Settings)[]).filter(
    (name) => JSON.stringify(settings[name]) !== JSON.stringify(SETTINGS[name].fallback),
  );
  return Object.fromEntries(
    changed.map((name) => [`${SETTINGS_SECTION}.${SETTINGS[name].key}`, settings[name]]),
  );
}
