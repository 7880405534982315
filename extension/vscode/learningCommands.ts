import { l10n, ProgressLocation, window, workspace } from 'vscode';
import type { TypeThroughCache } from '../common/cache/typeThroughCache.ts';
import { placesRequestSchema } from '../common/contracts/index.ts';
import type { CommandName } from '../common/contributions.ts';
import { adapterChoices } from '../common/status/adapterChoices.ts';
import { describeRun } from '../common/status/statusView.ts';
import type { Backend } from '../node/backend.ts';
import type { CompanionClient } from '../node/companionClient.ts';
import { runHoneCommand } from '../node/honeCommand.ts';
import type { Paths } from '../node/paths.ts';
import { workspaceKeyOf } from '../node/workspaceKey.ts';
import type { Action } from './commands.ts';
import type { Consent } from './consent.ts';
import type { CurrentSettings } from './currentSettings.ts';
import type { Policy } from './policy.ts';

/** Of all folders together: eight updates. */
const TAUGHT_PLACES = 128;

export interface LearningParts {
  settings: CurrentSettings;
  consent: Consent;
  backend: Backend;
  cache: TypeThroughCache;
  policy: Policy;
  paths: Paths;
}

/** Commands about what is recorded and learned. */
export function learningCommands(parts: LearningParts) {
  const { settings, consent, backend, cache } = parts;
  return {
    toggleTracking: () => (settings.isTrackingAnswered ? settings.toggle('trackingEnabled') : consent.ask()),
    trainNow: () => withCompanion(backend, l10n.t('Training'), trainNow),
    learnWorkspace: () =>
      withCompanion(backend, l10n.t('Reading the workspace'), (client) => learnWorkspace(client, parts)),
    pauseLearning: () => withCompanion(backend, l10n.t('Pausing'), (client) => setPaused(client, true)),
    resumeLearning: () => withCompanion(backend, l10n.t('Resuming'), (client) => setPaused(client, false)),
    activateAdapter: () => chooseAdapter(parts),
    rollBackAdapter: () =>
      withCompanion(backend, l10n.t('Rolling back'), (client) =>
        rollBack(client, backend.workspaceKey, cache),
      ),
  } satisfies Partial<Record<CommandName, Action>>;
}

/** Brings a version into service, and says which one serves then. */
export async function activateVersion({ backend, cache }: LearningParts, version: number): Promise<void> {
  await withCompanion(backend, l10n.t('Activating'), async (client) => {
    const { active } = await client.activate(version, backend.workspaceKey);
    cache.clear();
    return servedNow(active);
  });
}

/** Shows progress in the status bar until the companion has answered, then what it said. */
async function withCompanion(
  backend: Backend,
  title: string,
  act: (client: CompanionClient) => Promise<string>,
): Promise<void> {
  const client = runningCompanion(backend);
  const progress = { location: ProgressLocation.Window, title: `Hone: ${title}` };
  const message = await window.withProgress(progress, async () => {
    const result = act(client);
    backend.refresh();
    return result;
  });
  backend.refresh();
  void window.showInformationMessage(`Hone: ${message}`);
}

function runningCompanion({ client }: Backend): CompanionClient {
  if (client) return client;
  throw new Error(
    l10n.t('The companion is not running. See "Hone: Show Log", or use "Hone: Restart Companion".'),
  );
}

async function trainNow(client: CompanionClient): Promise<string> {
  const { status, run } = await client.step();
  if (status === 'busy') return l10n.t('an update is under way already.');
  if (status === 'nothing_to_train' || run === null) return l10n.t('there is nothing to learn from yet.');
  return `${describeRun(run)}.`;
}

/** Teaches what stands in the workspace's own files; another process reads them. */
async function learnWorkspace(
  client: CompanionClient,
  { policy, paths, settings }: LearningParts,
): Promise<string> {
  const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  if (folders.length === 0) throw new Error(l10n.t('There is no folder to learn from. Open one.'));
  if (!policy.mayRecord())
    throw new Error(
      l10n.t('Nothing may be recorded now. Trust this workspace, and switch "Hone: Toggle Tracking" on.'),
    );
  const sum = { stored: 0, known: 0 };
  for (const { uri } of folders) {
    const places = Math.ceil(TAUGHT_PLACES / folders.length);
    // Key and paths are those of completions there, so that a line is held out of both or of none.
    const options = ['--print', `--places=${places}`, `--workspace=${workspaceKeyOf(uri.toString())}`];
    const excluded = settings.value.excludedFiles.map((glob) => `--exclude=${glob}`);
    const printed = await runHoneCommand(paths, ['learn', uri.fsPath, ...options, ...excluded]);
    const { stored, heldOut, known } = await client.teach(placesRequestSchema.parse(JSON.parse(printed)));
    sum.stored += stored + heldOut;
    sum.known += known;
  }
  return l10n.t('{0} places of this workspace are learned from; {1} were known.', sum.stored, sum.known);
}

async function setPaused(client: CompanionClient, paused: boolean): Promise<string> {
  await client.setPaused(paused);
  return paused
    ? l10n.t('learning is paused until it is resumed; what happens is recorded on.')
    : l10n.t('learning goes on.');
}

/** Asks for a version and brings it into service. */
async function chooseAdapter(parts: LearningParts): Promise<void> {
  const { backend } = parts;
  const choices = adapterChoices(await runningCompanion(backend).adapters(backend.workspaceKey));
  const title = l10n.t('Version to bring into service');
  const chosen = await window.showQuickPick(choices, { title, matchOnDescription: true });
  if (chosen) await activateVersion(parts, chosen.version);
}

async function rollBack(
  client: CompanionClient,
  workspaceKey: string,
  cache: TypeThroughCache,
): Promise<string> {
  const { active } = await client.rollBack(workspaceKey);
  cache.clear();
  return servedNow(active);
}

function servedNow(version: number): string {
  return version === 0
    ? l10n.t('the model is served without an adapter now.')
    : l10n.t('adapter version {0} is served now.', version);
}
