import type { StatusPageData } from '../extension/common/status/statusPageData.ts';

/**
 * The status page as a whole document. It has no script, loads nothing, and its one style sheet is named in the
 * policy by `nonce`; colours are the editor's own.
 */
export function renderStatusPage(data: StatusPageData, nonce: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${escapeHtml(nonce)}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hone: Status</title>
<style nonce="${escapeHtml(nonce)}">${STYLE}</style>
</head>
<body>
<h1>Hone: ${escapeHtml(data.state)}</h1>
${data.error === null ? '' : `<p class="error" role="alert">${escapeHtml(data.error)}</p>`}
${data.remote?.warning ? `<p class="error">${escapeHtml(data.remote.warning)}</p>` : ''}
${section('Now', [
  ['Completions', onOff(data.completions)],
  ['Tracking', data.trusted ? onOff(data.tracking) : 'off: the workspace is not trusted'],
  ['Model', data.model ?? '–'],
  ['Adapter version', number(data.adapterVersion)],
  ['Companion', companion(data)],
])}
${section('Last run', lastRun(data))}
${section('Learning', [
  ['Events stored', number(data.events?.stored)],
  ['Waiting for a run', number(data.events?.queued)],
  ['Held out', number(data.events?.heldOut)],
  ['Learned from', number(data.events?.trained)],
  ['Dropped', number(data.events?.dropped)],
])}
${section('This installation', [
  ['Completions recorded', number(data.store?.completions)],
  ['Events', number(data.store?.events)],
  ['On their way to the companion', number(data.store?.pending)],
  ['Refused by the companion', number(data.store?.refused)],
])}
${section(
  'Outcomes',
  Object.entries(data.outcomes).map(([kind, count]) => [kind, number(count)]),
)}
</body>
</html>`;
}

type Row = [name: string, value: string];

const STYLE = `
body { font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); color: var(--vscode-foreground);
  background: var(--vscode-editor-background); padding: 0 1.5em 2em; max-width: 50em; }
h1 { font-size: 1.5em; font-weight: 600; }
h2 { font-size: 1.1em; font-weight: 600; margin: 1.5em 0 0.3em; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; font-weight: normal; padding: 0.25em 1em 0.25em 0;
  border-bottom: 1px solid var(--vscode-panel-border); }
th { color: var(--vscode-descriptionForeground); width: 40%; }
td { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.error { color: var(--vscode-errorForeground); }
`;

function section(title: string, rows: Row[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(
    ([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  return `<h2>${escapeHtml(title)}</h2>\n<table>${lines.join('\n')}</table>`;
}

function companion({ address, remote }: StatusPageData): string {
  if (remote === null) return address ?? 'not running';
  return `on ${remote.host}${address === null ? ', not reached' : ''}`;
}

function lastRun({ lastRun: run }: StatusPageData): Row[] {
  if (run === null) return [['Decision', 'none yet']];
  return [
    ['Decision', run.decision],
    ['Reason', run.reason],
    ['Version', run.version === null ? 'none made' : String(run.version)],
    ['Events', String(run.events)],
    ...Object.entries(run.seconds).map(([phase, seconds]): Row => [`Seconds: ${phase}`, seconds.toFixed(2)]),
    ...Object.entries(run.figures).map(([name, value]): Row => [name, figure(value)]),
  ];
}

function figure(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}

function number(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : String(value);
}

function onOff(value: boolean): string {
  return value ? 'on' : 'off';
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
