import { commands } from 'vscode';
import { CONTEXT_KEYS } from '../common/contributions.ts';

const shown = new Map<string, boolean>();

/** Sets a context key of the `when` clauses, where it isn't so already. */
export function showContext(name: keyof typeof CONTEXT_KEYS, on: boolean): void {
  if (shown.get(name) === on) return;
  shown.set(name, on);
  void commands.executeCommand('setContext', CONTEXT_KEYS[name], on);
}
