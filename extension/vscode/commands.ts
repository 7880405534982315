import { commands, Disposable, window, type ExtensionContext } from 'vscode';
import { COMMANDS, type CommandName } from '../common/contributions.ts';
import type { Log } from '../node/keptLog.ts';

/** What a command does. What it throws is logged and shown. */
export type Action = () => unknown;

/** Registers every command of the contract; a forgotten one doesn't compile. */
export function registerCommands(actions: Record<CommandName, Action>, log: Log): Disposable {
  const registered = Object.entries(actions).map(([name, act]) => {
    const { id, title } = COMMANDS[name as CommandName];
    return commands.registerCommand(id, async () => {
      try {
        await act();
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        log.error(`${title}: ${message}`);
        void window.showErrorMessage(`Hone: ${message}`);
      }
    });
  });
  return Disposable.from(...registered);
}

/** The editor's settings page with those of this extension. */
export function openSettings({ extension }: ExtensionContext): Thenable<void> {
  return commands.executeCommand('workbench.action.openSettings', `@ext:${extension.id}`);
}

/** The steps for someone who is new here; they are part of the package. */
export function openWalkthrough({ extension }: ExtensionContext): Thenable<void> {
  return commands.executeCommand('workbench.action.openWalkthrough', `${extension.id}#start`, false);
}
