import { html, type TemplateResult } from 'lit';
import type { DashboardData } from '../extension/common/contracts/dashboard.ts';
import { bytes, count, moment } from '../extension/common/dashboard/format.ts';
import { facts } from './parts.ts';
import type { Actions, State } from './state.ts';

/** What is stored, where and since when, and the switch that ends it. */
export function privacyTab(data: DashboardData, state: State, actions: Actions): TemplateResult {
  const { store, training, tracking, trusted } = data;
  const toggled = ({ target }: Event) =>
    actions.ask({ type: 'setTracking', on: (target as HTMLInputElement).checked });
  const button = (type: 'exportData' | 'deleteData' | 'showRecordList', label: string) =>
    html`<vscode-button secondary ?disabled=${state.busy.has(type)} @click=${() => actions.ask({ type })}
      >${label}</vscode-button
    >`;
  return html`
    <p>
      ${where(data)} Of a suggestion are kept: its text, the text around the caret that the model was shown
      (secrets masked), where it was shown, what became of it, what was typed instead and how much of it is
      still there later. With tracking off nothing of a document is written anywhere.
    </p>
    <p>
      <vscode-checkbox
        toggle
        label="Record what happens to suggestions, and learn from it"
        ?checked=${tracking}
        ?disabled=${state.busy.has('setTracking') || !trusted}
        @change=${toggled}
      ></vscode-checkbox>
    </p>
    ${trusted ? '' : html`<p>The workspace is not trusted: nothing is recorded in it.</p>`}
    <p class="action">
      ${button('exportData', 'Export My Data…')} ${button('deleteData', 'Delete My Data…')}
      ${button('showRecordList', 'What Is Recorded?')}
    </p>
    <h2>Stored by the editor</h2>
    ${facts([
      ['Since', store === null || store.since === null ? 'nothing is stored' : moment(store.since)],
      ['Suggestions', count(store?.counts.completions)],
      ['Events about them', count(store?.counts.events)],
      ['On their way to the companion', count(store?.counts.pending)],
      ['Refused by the companion', count(store?.counts.refused)],
      ['Size of the database', bytes(store?.bytes)],
      ['Folder', data.storage],
    ])}
    <h2>Stored by the companion</h2>
    ${facts([
      ['Events', count(training?.stored)],
      ['Learned from', count(training?.trained)],
      ['Adapter versions', count(data.adapters === null ? null : data.adapters.adapters.length - 1)],
    ])}
    <p class="quiet">
      What is older than ${data.keepDays} days is deleted (<code>hone.tracking.keepDays</code>); what was
      learned from it stays in the adapter.
    </p>
  `;
}

function where({ remote }: DashboardData): string {
  if (remote === null) return 'Everything stays on this computer.';
  return `Everything stays on this computer and on ${remote.host}, which serves and learns.`;
}
