import { commands } from 'vscode';
import type { FromDashboard } from '../common/contracts/dashboard.ts';
import { COMMANDS } from '../common/contributions.ts';
import { forgetSuggestion, type DataParts } from './dataCommands.ts';
import { activateVersion, type LearningParts } from './learningCommands.ts';

/** What the dashboard asks to be done; the rest of its messages is about the page itself. */
export type DashboardAction = Exclude<FromDashboard, { type: 'ready' | 'painted' | 'choose' }>;

/** Does what the dashboard asks for; what the commands throw they show themselves. */
export function dashboardActions(
  parts: LearningParts & DataParts,
): (action: DashboardAction) => Promise<void> {
  const { settings, consent } = parts;
  return async (action) => {
    switch (action.type) {
      case 'activate':
        return activateVersion(parts, action.version);
      case 'rollBack':
        return commands.executeCommand(COMMANDS.rollBackAdapter.id);
      case 'setTracking':
        if (!settings.isTrackingAnswered) await settings.answerTracking(action.on);
        else if (settings.value.trackingEnabled !== action.on) await settings.toggle('trackingEnabled');
        return;
      case 'forget':
        return forgetSuggestion(parts, action.id);
      case 'trainNow':
      case 'pauseLearning':
      case 'resumeLearning':
      case 'exportData':
      case 'deleteData':
        return commands.executeCommand(COMMANDS[action.type].id);
      case 'showRecordList':
        return consent.showRecordList();
    }
  };
}
