import { html, nothing, type TemplateResult } from 'lit';
import type { DashboardData } from '../extension/common/contracts/dashboard.ts';
import type { AdapterList, AdapterSummary } from '../extension/common/contracts/feedback.ts';
import { count, figure, moment, percent, UNKNOWN } from '../extension/common/dashboard/format.ts';
import { adapterStatusText, canActivate } from '../extension/common/dashboard/words.ts';
import { servedScale } from '../extension/common/status/adapterChoices.ts';
import { table, type Content } from './parts.ts';
import type { Actions, State } from './state.ts';

/** Every adapter version with the gate's figures and what it served. */
export function adaptersTab(
  { adapters: list }: DashboardData,
  state: State,
  actions: Actions,
): TemplateResult {
  if (list === null) return html`<p>The companion has not answered yet.</p>`;
  return html`
    <p class="action">
      <vscode-button
        ?disabled=${waits(state) || list.active === 0}
        @click=${() => actions.ask({ type: 'rollBack' })}
        >Roll Back</vscode-button
      >
      ${
        list.active === 0
          ? 'The model serves without an adapter.'
          : `Takes version ${list.active} out of service; the one it was made from serves again.`
      }
    </p>
    ${table({
      caption: 'Adapter versions, newest first',
      head: [
        'Version',
        '',
        'State',
        'Made',
        'From',
        'Gain a token',
        'At least',
        'Held out',
        'KL',
        'Accepted',
        'Scale',
      ],
      numbers: [0, 4, 5, 6, 7, 8, 9, 10],
      empty: '',
      rows: list.adapters.toReversed().map((adapter) => row(adapter, list, state, actions)),
    })}
    <p class="quiet">
      Gain: by how much likelier the gate found what was typed at held-out places, nats a token, against the
      version it was made from. KL: how far it is from the base there. Accepted: of what it served and was
      judged.
    </p>
  `;
}

/** Another version is about to serve: which button does what changes with it. */
function waits({ busy }: State): boolean {
  return busy.has('activate') || busy.has('rollBack');
}

function row(adapter: AdapterSummary, list: AdapterList, state: State, actions: Actions): Content[] {
  const { version, parent, figures } = adapter;
  return [
    String(version),
    adapter.active ? html`<vscode-badge>serves</vscode-badge>` : activation(adapter, list, state, actions),
    adapterStatusText(adapter),
    adapter.status === 'base' ? UNKNOWN : moment(adapter.createdAt),
    count(parent),
    figure(figures['gate/gain_per_token']),
    figure(figures['gate/gain_lower']),
    count(figures['gate/held_out']),
    figure(figures['gate/kl_held_out']),
    percent(figures['served/accept_rate']),
    figure(servedScale(adapter)),
  ];
}

function activation(adapter: AdapterSummary, list: AdapterList, state: State, actions: Actions): Content {
  if (!canActivate(adapter, list)) return nothing;
  return html`<vscode-button
    secondary
    ?disabled=${waits(state)}
    aria-label=${`Activate version ${adapter.version}`}
    @click=${() => actions.ask({ type: 'activate', version: adapter.version })}
    >Activate</vscode-button
  >`;
}
