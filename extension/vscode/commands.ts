import { commands, ProgressLocation, window, type Disposable, type LogOutputChannel } from 'vscode';
import type { TypeThroughCache } from '../common/cache/typeThroughCache.ts';
import { ACCEPTED_COMMAND, COMMANDS, type CommandName } from '../common/contributions.ts';
import { describeRun } from '../common/status/statusView.ts';
import type { Backend } from '../node/backend.ts';
import type { CompanionClient } from '../node/companionClient.ts';
import type { Capture } from './capture.ts';
import type { CurrentSettings } from './currentSettings.ts';
import type { PromptExplainer } from './promptExplainer.ts';
import type { StatusPanel } from './statusPanel.ts';

interface CommandParts {
  settings: CurrentSettings;
  backend: Backend;
  capture: Capture;
  cache: TypeThroughCache;
  explainer: PromptExplainer;
  statusPanel: StatusPanel;
  log: LogOutputChannel;
}

/** Registers every command of the contract; a forgotten one doesn't compile. */
export function registerCommands(parts: CommandParts): Disposable[] {
  const { settings, backend, capture, cache, explainer, statusPanel, log } = parts;
  const actions: Record<CommandName, () => unknown> = {
    toggleTracking: () => settings.toggle('trackingEnabled'),
    toggleCompletions: () => settings.toggle('completionsEnabled'),
    trainNow: () => withCompanion(parts, 'Training', trainNow),
    rollBackAdapter: () => withCompanion(parts, 'Rolling back', (client) => rollBack(client, cache)),
    restartCompanion: () => backend.restartCompanion(),
    showLog: () => log.show(),
    explainPrompt: () => explainer.show(),
    showStatus: () => statusPanel.show(),
    acceptWord: () => acceptPart(capture, 'editor.action.inlineSuggest.acceptNextWord'),
    acceptLine: () => acceptPart(capture, 'editor.action.inlineSuggest.acceptNextLine'),
    dismiss: () => {
      capture.escaped();
      return commands.executeCommand('editor.action.inlineSuggest.hide');
    },
  };
  const names = Object.keys(actions) as CommandName[];
  const registered = names.map((name) =>
    commands.registerCommand(COMMANDS[name].id, async () => {
      try {
        await actions[name]();
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        log.error(`${COMMANDS[name].title}: ${message}`);
        void window.showErrorMessage(`Hone: ${message}`);
      }
    }),
  );
  const accepted = commands.registerCommand(ACCEPTED_COMMAND, (id: string) => {
    capture.accepted(id);
    cache.forget(id);
  });
  return [...registered, accepted];
}

async function acceptPart(capture: Capture, command: string): Promise<void> {
  capture.acceptingPart();
  await commands.executeCommand(command);
}

async function withCompanion(
  { backend }: CommandParts,
  title: string,
  act: (client: CompanionClient) => Promise<string>,
): Promise<void> {
  const { client } = backend;
  if (!client)
    throw new Error('The companion is not running. See "Hone: Show Log", or use "Hone: Restart Companion".');
  const progress = { location: ProgressLocation.Window, title: `Hone: ${title}` };
  const message = await window.withProgress(progress, async () => {
    const result = act(client);
    backend.refresh();
    return result;
  });
  backend.refresh();
  void window.showInformationMessage(`Hone: ${message}`);
}

async function trainNow(client: CompanionClient): Promise<string> {
  const { status, run } = await client.step();
  if (status === 'busy') return 'an update is under way already.';
  if (status === 'nothing_to_train' || run === null) return 'there is nothing to learn from yet.';
  return `${describeRun(run)}.`;
}

async function rollBack(client: CompanionClient, cache: TypeThroughCache): Promise<string> {
  const { active } = await client.rollBack();
  cache.clear();
  return active === 0
    ? 'the model is served without an adapter now.'
    : `adapter version ${active} is served now.`;
}
