import { commands, l10n, window } from 'vscode';
import { COMMANDS } from '../common/contributions.ts';
import type { Situation } from '../common/status/statusView.ts';

/** Says once for each machine that what is sent there can be read on the way. */
export class RemoteWarning {
  #told: string | null = null;

  tell({ remote }: Situation): void {
    const warning = remote?.warning ?? null;
    if (warning === this.#told) return;
    this.#told = warning;
    if (warning === null) return;
    const openSettings = l10n.t('Open Settings');
    void window.showWarningMessage(`Hone: ${warning}`, openSettings).then((chosen) => {
      if (chosen === openSettings) void commands.executeCommand(COMMANDS.openSettings.id);
    });
  }
}
