import { html, type TemplateResult } from 'lit';
import {
  dashboardUnitSchema,
  type DashboardData,
  type DashboardUnit,
} from '../extension/common/contracts/dashboard.ts';
import { usageCharts } from '../extension/common/dashboard/charts.ts';
import { count, percent, UNKNOWN } from '../extension/common/dashboard/format.ts';
import { totalOf, worthOf } from '../extension/common/dashboard/worth.ts';
import { facts, tiles } from './parts.ts';
import type { Actions, State } from './state.ts';

const UNITS: Record<DashboardUnit, string> = {
  '30days': 'Last 30 days',
  '90days': 'Last 90 days',
  '50shown': 'Every 50 shown',
};

/** What suggestions are worth, over time. */
export function overviewTab(data: DashboardData, _: State, actions: Actions): TemplateResult {
  const { store, unit } = data;
  if (store === null) return html`<p>What is stored can't be read.</p>`;
  const worth = worthOf(totalOf(store.buckets));
  return html`
    <vscode-radio-group aria-label="What a point of the charts is">
      ${dashboardUnitSchema.options.map(
        (option) =>
          html`<vscode-radio
            name="unit"
            value=${option}
            label=${UNITS[option]}
            ?checked=${option === unit}
            @change=${() => actions.choose(option)}
          ></vscode-radio>`,
      )}
    </vscode-radio-group>
    ${tiles([
      ['Acceptance', percent(worth.acceptance)],
      ['Retained per 1,000 written', count(worth.keptPer1000)],
      ['Shown per 1,000 written', count(worth.shownPer1000)],
      ['Empty answers', percent(worth.silentShare)],
      ['Hidden by filters', percent(worth.suppressedShare)],
      ['Adapter version', count(data.training?.adapterVersion)],
    ])}
    <div class="charts">
      ${usageCharts(store, unit).map((chart) => html`<hone-chart .chart=${chart}></hone-chart>`)}
    </div>
    <p class="quiet">
      Acceptance: suggestions accepted, accepted in part or typed out, of all that were taken or rejected.
      Retained: characters taken from suggestions that were still there when last looked at. Written: typed or
      taken, where suggestions are offered and recorded. A vertical line: another adapter version began to
      serve.
    </p>
    <h2>Now</h2>
    ${facts([
      ['Completions', data.completions ? 'on' : 'off'],
      ['Tracking', tracking(data)],
      ['Model', data.model ?? UNKNOWN],
      ['Companion', companion(data)],
      ...Object.entries(store.counts.outcomes).map(([kind, number]): [string, string] => [
        `Outcomes: ${kind}`,
        count(number),
      ]),
    ])}
  `;
}

function companion({ address, remote }: DashboardData): string {
  if (remote === null) return address ?? 'not running';
  return `on ${remote.host}${address === null ? ', not reached' : ''}`;
}

function tracking({ trusted, tracking }: DashboardData): string {
  if (!trusted) return 'off: the workspace is not trusted';
  return tracking ? 'on' : 'off';
}
