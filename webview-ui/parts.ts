import { html, nothing, type TemplateResult } from 'lit';

export type Content = TemplateResult | string | typeof nothing;

/** Names with their values, as a list of terms. */
export function facts(rows: [name: string, value: Content][]): TemplateResult {
  return html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** A few figures, large. */
export function tiles(rows: [name: string, value: string][]): TemplateResult {
  return html`<dl class="tiles">
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

interface Table {
  caption: string;
  head: string[];
  rows: Content[][];
  /** Columns, counted from 0, whose cells are numbers. */
  numbers?: number[];
  /** Instead of a table without rows. */
  empty: string;
}

/** A table of no more columns is only as wide as they are. */
const NARROW_COLUMNS = 4;

/** A table whose first column heads its rows; it scrolls by itself where the page is narrow. */
export function table({ caption, head, rows, numbers = [], empty }: Table): TemplateResult {
  if (rows.length === 0) return html`<p class="quiet">${empty}</p>`;
  const numeric = (column: number) => (numbers.includes(column) ? 'number' : nothing);
  return html`<div class="scroll" role="region" tabindex="0" aria-label=${caption}>
    <table class=${head.length > NARROW_COLUMNS ? 'wide' : ''}>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head.map((title, column) => html`<th scope="col" class=${numeric(column)}>${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...cells]) =>
            html`<tr>
              <th scope="row" class=${numeric(0)}>${first}</th>
              ${cells.map((cell, column) => html`<td class=${numeric(column + 1)}>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
