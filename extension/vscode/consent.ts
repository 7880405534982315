import { commands, l10n, Uri, window, workspace, type ExtensionContext } from 'vscode';
import type { CurrentSettings } from './currentSettings.ts';

/** What is recorded, and why: part of the package. */
const RECORD_LIST = 'TELEMETRY.md';

/** Asks whether Hone may learn. Until there is an answer, which is a setting, nothing is recorded. */
export class Consent {
  readonly #settings: CurrentSettings;
  readonly #extension: Uri;
  #hasAsked = false;

  constructor(context: Pick<ExtensionContext, 'extensionUri'>, settings: CurrentSettings) {
    this.#settings = settings;
    this.#extension = context.extensionUri;
  }

  /** Once a session, where there is no answer; never in a workspace that is not trusted. */
  askOnce(): void {
    if (this.#hasAsked || this.#settings.isTrackingAnswered || !workspace.isTrusted) return;
    void this.ask();
  }

  /** Resolves when it is answered, or dismissed: that is no answer. */
  async ask(): Promise<void> {
    this.#hasAsked = true;
    const learn = l10n.t('Learn From My Edits');
    const complete = l10n.t('Only Complete');
    const list = l10n.t('What Is Recorded?');
    const question = l10n.t(
      'May Hone learn from what you do with its suggestions? For that it records them, the code around them and what you type instead, on this computer only. Without it you get suggestions all the same.',
    );
    for (;;) {
      const answer = await window.showInformationMessage(question, learn, complete, list);
      if (answer !== list) {
        if (answer !== undefined) await this.#settings.answerTracking(answer === learn);
        return;
      }
      await this.showRecordList();
    }
  }

  async showRecordList(): Promise<void> {
    await commands.executeCommand('markdown.showPreview', Uri.joinPath(this.#extension, RECORD_LIST));
  }
}
