import { commands, l10n, window } from 'vscode';
import { COMMANDS } from '../common/contributions.ts';

/** Says once that another model than the chosen one serves, and again when the reason is another one. */
export class ModelNotice {
  #said: string | null = null;

  /** To be called whenever the status changes; null: the chosen model serves. */
  show(reason: string | null): void {
    if (reason === this.#said) return;
    this.#said = reason;
    if (reason !== null) void this.#warn(reason);
  }

  async #warn(reason: string): Promise<void> {
    const select = l10n.t('Select Model…');
    const log = l10n.t('Show Log');
    const answer = await window.showWarningMessage(`Hone: ${reason}`, select, log);
    if (answer === select) await commands.executeCommand(COMMANDS.selectModel.id);
    if (answer === log) await commands.executeCommand(COMMANDS.showLog.id);
  }
}
