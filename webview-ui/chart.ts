import { html, LitElement, type TemplateResult } from 'lit';
import type uPlot from 'uplot';
import { summaryOf, tableOf, type Chart } from '../extension/common/dashboard/charts.ts';
import { onThemeChange, themeColours } from './colours.ts';
import { table } from './parts.ts';
import { plot } from './plot.ts';

/** A chart with its title and, for who can't see it or wants the numbers, its table. */
class HoneChart extends LitElement {
  static override properties = { chart: { attribute: false } };
  declare chart: Chart;
  #plot: uPlot | undefined;
  #endThemeWatch: () => void = () => undefined;
  readonly #sizes = new ResizeObserver(() => this.#draw());

  /** Part of the page: its style sheet holds here, too. */
  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#endThemeWatch = onThemeChange(() => this.#draw());
    this.#sizes.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#endThemeWatch();
    this.#sizes.disconnect();
    this.#plot?.destroy();
    this.#plot = undefined;
  }

  protected override render(): TemplateResult {
    const { title } = this.chart;
    const { head, rows } = tableOf(this.chart);
    return html`<figure>
      <figcaption><h3>${title}</h3></figcaption>
      <div class="plot" role="img" aria-label=${summaryOf(this.chart)}></div>
      <details>
        <summary>${title} as a table</summary>
        ${table({
          caption: title,
          head,
          rows,
          numbers: this.chart.series.map((_, column) => column + 1),
          empty: 'Nothing yet.',
        })}
      </details>
    </figure>`;
  }

  protected override updated(): void {
    this.#draw();
  }

  #draw(): void {
    const host = this.querySelector<HTMLElement>('.plot');
    if (!host || host.clientWidth === 0) return;
    this.#plot?.destroy();
    this.#plot = plot(this.chart, themeColours(), host.clientWidth, host);
  }
}

customElements.define('hone-chart', HoneChart);
