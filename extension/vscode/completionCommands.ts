import { commands } from 'vscode';
import type { CommandName } from '../common/contributions.ts';
import type { Capture } from './capture.ts';
import type { Action } from './commands.ts';
import type { Completing } from './completing.ts';
import type { CurrentSettings } from './currentSettings.ts';

/** Commands about suggestions. */
export function completionCommands(settings: CurrentSettings, { capture, explainer }: Completing) {
  return {
    toggleCompletions: () => settings.toggle('completionsEnabled'),
    explainPrompt: () => explainer.show(),
    acceptWord: () => acceptPart(capture, 'editor.action.inlineSuggest.acceptNextWord'),
    acceptLine: () => acceptPart(capture, 'editor.action.inlineSuggest.acceptNextLine'),
    dismiss: () => {
      capture.escaped();
      return commands.executeCommand('editor.action.inlineSuggest.hide');
    },
  } satisfies Partial<Record<CommandName, Action>>;
}

async function acceptPart(capture: Capture, command: string): Promise<void> {
  capture.acceptingPart();
  await commands.executeCommand(command);
}
