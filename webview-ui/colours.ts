/** Colours of the editor's theme, for what is drawn on a canvas. */
export interface Colours {
  text: string;
  grid: string;
  mark: string;
  /** One a series. */
  series: string[];
  font: string;
}

/** Every kind of theme has these; orange is missing from high contrast. */
const SERIES = ['blue', 'green', 'yellow', 'purple'].map((name) => `--vscode-charts-${name}`);
/** Share of the text colour in a grid line; high-contrast themes need more to be seen. */
const GRID_PERCENT = 12;
const CONTRAST_GRID_PERCENT = 40;
const MARK_PERCENT = 35;
const CONTRAST_MARK_PERCENT = 80;

/** Colours as the theme has them now. */
export function themeColours(): Colours {
  const style = getComputedStyle(document.body);
  const of = (name: string) => style.getPropertyValue(name).trim();
  const text = of('--vscode-foreground');
  const contrast = /\bvscode-high-contrast/.test(document.body.className);
  const faint = (percent: number) => `color-mix(in srgb, ${text} ${percent}%, transparent)`;
  return {
    text: contrast ? text : of('--vscode-descriptionForeground'),
    grid: faint(contrast ? CONTRAST_GRID_PERCENT : GRID_PERCENT),
    mark: faint(contrast ? CONTRAST_MARK_PERCENT : MARK_PERCENT),
    series: SERIES.map(of),
    font: `11px ${style.fontFamily}`,
  };
}

/** Calls back when the theme has changed; returns what ends that. */
export function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { attributeFilter: ['class', 'data-vscode-theme-id'] });
  observer.observe(document.documentElement, { attributeFilter: ['style'] });
  return () => observer.disconnect();
}
