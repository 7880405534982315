import { commands, l10n, window, type TextDocument } from 'vscode';
import type { CommandName } from '../common/contributions.ts';
import { whyNothingIsOffered, type Situation } from '../common/status/statusView.ts';
import type { Capture } from './capture.ts';
import type { Action } from './commands.ts';
import type { Completing } from './completing.ts';
import type { CurrentSettings } from './currentSettings.ts';
import type { Snooze } from './snooze.ts';

interface CompletionParts {
  settings: CurrentSettings;
  completing: Completing;
  snooze: Snooze;
  situation: () => Situation;
}

/** Commands about suggestions. */
export function completionCommands({ settings, completing, snooze, situation }: CompletionParts) {
  const { capture, explainer } = completing;
  return {
    toggleCompletions: () => settings.toggle('completionsEnabled'),
    toggleLanguage: () => settings.toggleLanguage(focusedDocument().languageId),
    toggleWorkspace: () => settings.toggleWorkspace(),
    snooze: () => snooze.choose(),
    endSnooze: () => snooze.end(),
    triggerSuggestion: () => trigger(situation()),
    explainPrompt: () => explainer.show(),
    acceptWord: () => acceptPart(capture, 'editor.action.inlineSuggest.acceptNextWord'),
    acceptLine: () => acceptPart(capture, 'editor.action.inlineSuggest.acceptNextLine'),
    dismiss: () => {
      capture.escaped();
      return hideSuggestion();
    },
  } satisfies Partial<Record<CommandName, Action>>;
}

/** Takes the suggestion off the screen, if there is one. */
export function hideSuggestion(): Thenable<void> {
  return commands.executeCommand('editor.action.inlineSuggest.hide');
}

/** Asks for a suggestion at the caret, or says why there will be none. */
async function trigger(situation: Situation): Promise<void> {
  focusedDocument();
  const nothing = whyNothingIsOffered(situation);
  if (nothing !== null) throw new Error(nothing);
  await commands.executeCommand('editor.action.inlineSuggest.trigger');
}

function focusedDocument(): TextDocument {
  const document = window.activeTextEditor?.document;
  if (!document) throw new Error(l10n.t('Open a file first.'));
  return document;
}

async function acceptPart(capture: Capture, command: string): Promise<void> {
  capture.acceptingPart();
  await commands.executeCommand(command);
}
