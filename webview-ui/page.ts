import { html, nothing, type TemplateResult } from 'lit';
import {
  DASHBOARD_TABS,
  type DashboardData,
  type DashboardTab,
} from '../extension/common/contracts/dashboard.ts';
import { alarmTexts } from '../extension/common/dashboard/words.ts';
import { adaptersTab } from './adapters.ts';
import { learningTab } from './learning.ts';
import { overviewTab } from './overview.ts';
import { privacyTab } from './privacy.ts';
import type { Actions, State } from './state.ts';
import { suggestionsTab } from './suggestions.ts';

type TabView = (data: DashboardData, state: State, actions: Actions) => TemplateResult;

const TABS: Record<DashboardTab, { title: string; view: TabView }> = {
  overview: { title: 'Overview', view: overviewTab },
  suggestions: { title: 'Suggestions', view: suggestionsTab },
  learning: { title: 'Learning', view: learningTab },
  adapters: { title: 'Adapters', view: adaptersTab },
  privacy: { title: 'Privacy', view: privacyTab },
};

/** The whole page. Only the tab that is open has content. */
export function page(state: State, actions: Actions): TemplateResult {
  const { data, problem } = state;
  return html`
    <header>
      <h1>Hone</h1>
      ${data === null ? nothing : html`<vscode-badge>${data.state}</vscode-badge>`}
    </header>
    <div role="alert">
      ${[problem, data?.error ?? null, data?.remote?.warning ?? null].filter((text) => text !== null).map((text) => html`<p class="error">${text}</p>`)}
    </div>
    ${data === null ? html`<p role="status">Reading …</p>` : [alarms(data), tabs(data, state, actions)]}
  `;
}

function alarms({ training }: DashboardData): TemplateResult {
  const texts = alarmTexts(training);
  if (texts.length === 0) return html``;
  return html`<section class="alarms" aria-label="Alarms">
    <ul>
      ${texts.map((text) => html`<li>${text}</li>`)}
    </ul>
  </section>`;
}

function tabs(data: DashboardData, state: State, actions: Actions): TemplateResult {
  const selected = (event: CustomEvent<{ selectedIndex: number }>) =>
    actions.show(DASHBOARD_TABS[event.detail.selectedIndex]!);
  return html`<vscode-tabs selected-index=${DASHBOARD_TABS.indexOf(state.tab)} @vsc-tabs-select=${selected}>
    ${DASHBOARD_TABS.map(
      (tab) => html`
        <vscode-tab-header slot="header">${TABS[tab].title}</vscode-tab-header>
        <vscode-tab-panel
          >${tab === state.tab ? TABS[tab].view(data, state, actions) : nothing}</vscode-tab-panel
        >
      `,
    )}
  </vscode-tabs>`;
}
