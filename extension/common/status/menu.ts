import type { CommandName } from '../contributions.ts';
import { describeSnooze } from './snooze.ts';
import type { Situation } from './statusView.ts';

/** A line of the quick menu, or the title of those below it. */
export type MenuItem =
  | { kind: 'title'; label: string }
  | { kind: 'command'; command: CommandName; label: string; description: string };

/** The quick menu as things stand. Tracking comes first: a click on the status bar and Enter turn it over. */
export function menuItems(situation: Situation): MenuItem[] {
  return [
    item('toggleTracking', trackingLabel(situation), trackingNow(situation)),
    { kind: 'title', label: 'Suggestions' },
    ...completionItems(situation),
    { kind: 'title', label: 'Learning' },
    ...learningItems(situation),
    { kind: 'title', label: 'Hone' },
    item(
      'selectModel',
      '$(package) Select model…',
      situation.fellBack === null ? '' : 'the embedded one stands in',
    ),
    item('openDashboard', '$(graph-line) Open dashboard', situation.model ?? ''),
    item('showLog', '$(output) Show log'),
    item('openSettings', '$(gear) Settings'),
    item('exportData', '$(export) Export my data…'),
    item('deleteData', '$(trash) Delete my data…'),
    item('reportIssue', '$(bug) Report issue…'),
  ];
}

function completionItems({ completions, snooze, language, inWorkspace }: Situation): MenuItem[] {
  const items = [
    item(
      'toggleCompletions',
      `$(sparkle) Turn suggestions ${offOn(completions)}`,
      completions ? 'on' : 'off',
    ),
  ];
  if (language !== null) {
    const { id, off } = language;
    items.push(
      item('toggleLanguage', `$(code) Turn suggestions ${offOn(!off)} in ${id}`, off ? 'off' : 'on'),
    );
  }
  if (inWorkspace) {
    const label = `$(root-folder) Turn suggestions ${offOn(completions)} in this workspace`;
    items.push(item('toggleWorkspace', label));
  }
  items.push(
    snooze === null
      ? item('snooze', '$(bell-slash) Snooze…')
      : item('endSnooze', '$(bell) End snooze', describeSnooze(snooze)),
  );
  return items;
}

function learningItems({ training }: Situation): MenuItem[] {
  const version = training?.adapterVersion ?? 0;
  const served = version === 0 ? 'no adapter in service' : `version ${version} in service`;
  const items = [
    item('trainNow', '$(play) Train now', training ? `${training.queued} events wait` : ''),
    training?.pausedByUser
      ? item('resumeLearning', '$(debug-continue) Resume learning', 'paused')
      : item('pauseLearning', '$(debug-pause) Pause learning'),
    item('activateAdapter', '$(versions) Activate adapter…', served),
  ];
  if (version > 0) items.push(item('rollBackAdapter', '$(discard) Roll back adapter', served));
  return items;
}

function trackingLabel({ tracking, unanswered, trusted }: Situation): string {
  if (unanswered && trusted) return '$(question) Say whether Hone may learn…';
  return `$(record) Turn tracking ${offOn(tracking)}`;
}

function trackingNow({ tracking, unanswered, trusted }: Situation): string {
  if (!trusted) return 'off: the workspace is not trusted';
  if (unanswered) return 'nothing is recorded before that';
  return tracking ? 'on: outcomes are recorded and learned from' : 'off: nothing is recorded';
}

function item(command: CommandName, label: string, description = ''): MenuItem {
  return { kind: 'command', command, label, description };
}

/** What a switch is turned to. */
function offOn(isOn: boolean): string {
  return isOn ? 'off' : 'on';
}
