import { window, workspace, type TextDocument } from 'vscode';
import type { Settings } from '../common/contributions.ts';
import type { SnoozeRest } from '../common/status/snooze.ts';
import { fallbackSentence } from '../common/models/fallback.ts';
import type { Situation } from '../common/status/statusView.ts';
import type { Backend } from '../node/backend.ts';
import type { CurrentSettings } from './currentSettings.ts';
import type { Policy } from './policy.ts';

/** What the status bar is told. */
export function situationOf(
  backend: Backend,
  current: CurrentSettings,
  policy: Policy,
  snooze: SnoozeRest | null,
): Situation {
  const settings = current.value;
  const document = window.activeTextEditor?.document;
  return {
    companion: backend.connection.state,
    remote: backend.connection.remote,
    storeError: backend.storeError,
    tracking: settings.trackingEnabled,
    unanswered: !current.isTrackingAnswered,
    trusted: workspace.isTrusted,
    completions: settings.completionsEnabled,
    snooze,
    language: document ? languageOf(document, settings) : null,
    inWorkspace: workspace.workspaceFolders !== undefined,
    offHere: document === undefined ? null : policy.offReason(document),
    model: backend.model,
    fellBack: fellBackReason(backend, settings),
    training: backend.training,
    today: backend.today,
  };
}

/** Why the embedded model serves in the place of the chosen one; null: it doesn't. */
function fellBackReason({ health }: Backend, { modelPath }: Settings): string | null {
  return health?.fellBack === undefined ? null : fallbackSentence(modelPath, health.fellBack);
}

function languageOf({ languageId }: TextDocument, settings: Settings): Situation['language'] {
  return { id: languageId, off: settings.disabledLanguages.includes(languageId) };
}
