import { html, type TemplateResult } from 'lit';
import type { DashboardData } from '../extension/common/contracts/dashboard.ts';
import { milliseconds, moment } from '../extension/common/dashboard/format.ts';
import { afterwardsText, outcomeText } from '../extension/common/dashboard/words.ts';
import { table } from './parts.ts';
import type { Actions, State } from './state.ts';

/** The newest suggestions, and what became of each. */
export function suggestionsTab({ store }: DashboardData, state: State, actions: Actions): TemplateResult {
  return table({
    caption: 'Recent suggestions, newest first',
    head: ['When', 'Suggestion', 'Outcome', 'Afterwards', 'File', 'Version', 'Latency', ''],
    numbers: [5, 6],
    empty: 'Nothing is recorded yet.',
    rows: (store?.suggestions ?? []).map((suggestion) => [
      moment(suggestion.at),
      html`<code>${suggestion.shownText}</code>`,
      outcomeText(suggestion),
      afterwardsText(suggestion),
      suggestion.relativePath,
      String(suggestion.adapterVersion),
      milliseconds(suggestion.latencyMs),
      html`<vscode-button
        secondary
        ?disabled=${state.busy.has('forget')}
        aria-label=${`Forget the suggestion of ${moment(suggestion.at)} in ${suggestion.relativePath}`}
        @click=${() => actions.ask({ type: 'forget', id: suggestion.id })}
        >Forget</vscode-button
      >`,
    ]),
  });
}
