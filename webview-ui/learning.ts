import { html, nothing, type TemplateResult } from 'lit';
import type { DashboardData } from '../extension/common/contracts/dashboard.ts';
import type { RunSummary, TrainingStatus } from '../extension/common/contracts/feedback.ts';
import { runCharts } from '../extension/common/dashboard/charts.ts';
import { count, figure, moment } from '../extension/common/dashboard/format.ts';
import { droppedText, trainingStateText } from '../extension/common/dashboard/words.ts';
import { facts, table } from './parts.ts';
import type { Actions, State } from './state.ts';

/** How learning stands, and how its updates went. */
export function learningTab(data: DashboardData, state: State, actions: Actions): TemplateResult {
  const { training, runs } = data;
  if (training === null) return html`<p>The companion has not answered yet.</p>`;
  const pauseOrResume = training.pausedByUser === true ? 'resumeLearning' : 'pauseLearning';
  return html`
    <h2>Now</h2>
    ${facts([
      ['State', trainingStateText(training)],
      ['Events stored', count(training.stored)],
      ['Wait for an update', count(training.queued)],
      ['Wait for a later fact', count(training.open)],
      ['Held out for the gate', count(training.heldOut)],
      ['Learned from', count(training.trained)],
      ...Object.entries(training.dropped).map(([reason, number]): [string, string] => [
        droppedText(reason),
        count(number),
      ]),
    ])}
    ${progress(training)}
    <p class="action">
      <vscode-button ?disabled=${state.busy.has('trainNow')} @click=${() => actions.ask({ type: 'trainNow' })}
        >Train Now</vscode-button
      >
      <vscode-button
        secondary
        ?disabled=${state.busy.has(pauseOrResume)}
        @click=${() => actions.ask({ type: pauseOrResume })}
        >${pauseOrResume === 'pauseLearning' ? 'Pause Learning' : 'Resume Learning'}</vscode-button
      >
    </p>
    ${training.lastRun === null ? nothing : lastRun(training.lastRun)}
    <h2>Updates</h2>
    <div class="charts">
      ${runCharts(runs).map((chart) => html`<hone-chart .chart=${chart}></hone-chart>`)}
    </div>
    ${table({
      caption: 'Updates, newest first',
      head: ['When', 'Decision', 'Version', 'From', 'Events', 'Reason'],
      numbers: [2, 3, 4],
      empty: 'No update was made yet.',
      rows: runs.map((run) => [
        moment(run.at),
        run.decision,
        count(run.version),
        count(run.parent),
        count(run.events),
        run.reason,
      ]),
    })}
  `;
}

function progress({ progress: under }: TrainingStatus): TemplateResult {
  if (under === undefined) return html``;
  const label = `${under.phase}: ${under.done} of ${under.total}`;
  return html`<p role="status">${label}</p>
    <vscode-progress-bar
      aria-label=${label}
      value=${under.done}
      max=${Math.max(1, under.total)}
    ></vscode-progress-bar>`;
}

function lastRun(run: RunSummary): TemplateResult {
  const seconds = Object.entries(run.seconds);
  return html`
    <h2>Last update</h2>
    ${facts([
      ['Decision', run.decision],
      ['Reason', run.reason],
      ['Version', run.version === null ? 'none made' : String(run.version)],
      ['Events', count(run.events)],
    ])}
    ${table({
      caption: 'Seconds by phase of the last update',
      head: ['Phase', 'Seconds'],
      numbers: [1],
      empty: '',
      rows: seconds.map(([phase, value]) => [phase, value.toFixed(2)]),
    })}
    <details>
      <summary>All figures of the last update</summary>
      ${table({
        caption: 'Figures of the last update',
        head: ['Figure', 'Value'],
        numbers: [1],
        empty: 'None.',
        rows: Object.entries(run.figures).map(([name, value]) => [name, figure(value)]),
      })}
    </details>
  `;
}
