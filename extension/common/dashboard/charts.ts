import type { Bucket, DashboardUnit, StoreFigures } from '../contracts/dashboard.ts';
import type { TrainingRuns } from '../contracts/feedback.ts';
import { count, day, figure, milliseconds, moment, percent, UNKNOWN } from './format.ts';
import { worthOf, type Worth } from './worth.ts';

/** A line chart, and everything that its table says. */
export interface Chart {
  title: string;
  /** What a point is: heading of the table's first column. */
  pointName: string;
  /** One a point, oldest first. */
  labels: string[];
  series: { name: string; values: (number | null)[] }[];
  format: (value: number | null) => string;
  /** Vertical lines; `position` counts points from 0, with a fraction between two. */
  marks: { position: number; label: string }[];
}

/** Figures of an update that are drawn, by tag. */
const LOSSES: [tag: string, name: string][] = [
  ['losses/correction_loss', 'typed instead'],
  ['losses/accepted_loss', 'accepted'],
  ['losses/context_loss', 'context'],
  ['losses/general_loss', 'general code'],
  ['losses/policy_loss', 'policy'],
];
const DIVERGENCES: [tag: string, name: string][] = [
  ['losses/kl_to_base', 'to the base, on the batch'],
  ['gate/kl_held_out', 'to the base, held out'],
  ['gate/kl_general', 'to the base, general code'],
  ['losses/approx_kl', 'of the update'],
];
const GAINS: [tag: string, name: string][] = [
  ['gate/gain_per_token', 'gain'],
  ['gate/gain_lower', 'lower bound'],
];

/** How suggestions did, each point a day or fifty shown suggestions, with adapter versions marked. */
export function usageCharts({ buckets, versionChanges }: StoreFigures, unit: DashboardUnit): Chart[] {
  const worths = buckets.map(worthOf);
  const base = {
    pointName: unit === '50shown' ? 'From' : 'Day',
    labels: buckets.map(({ from }) => (unit === '50shown' ? moment(from) : day(from))),
    marks: versionMarks(buckets, versionChanges),
  };
  const worth = (title: string, name: string, of: keyof Worth, format: Chart['format']): Chart => ({
    ...base,
    title,
    format,
    series: [{ name, values: worths.map((one) => one[of]) }],
  });
  const latency = (of: 'p50' | 'p95') => ({
    name: of === 'p50' ? 'median' : '95th percentile',
    values: buckets.map((bucket) => bucket.latency?.[of] ?? null),
  });
  return [
    worth('Acceptance', 'taken of the judged', 'acceptance', percent),
    worth('Retained characters per 1,000 written', 'retained', 'keptPer1000', count),
    worth('Shown per 1,000 characters written', 'shown', 'shownPer1000', count),
    { ...base, title: 'Latency', format: milliseconds, series: [latency('p50'), latency('p95')] },
  ];
}

/** How updates went, oldest first; a series of which nothing is known is left out. */
export function runCharts(newestFirst: TrainingRuns['runs']): Chart[] {
  const runs = newestFirst.filter((run) => run.decision !== 'failed').toReversed();
  const base = {
    pointName: 'Update',
    labels: runs.map(({ at, version }) => (version === null ? moment(at) : `version ${version}`)),
    format: figure,
    marks: [],
  };
  const chart = (title: string, tags: [tag: string, name: string][]): Chart => ({
    ...base,
    title,
    series: tags
      .map(([tag, name]) => ({ name, values: runs.map(({ figures }) => figures[tag] ?? null) }))
      .filter(({ values }) => values.some((value) => value !== null)),
  });
  const charts = [
    chart('Loss a token', LOSSES),
    chart('KL divergence, nats a token', DIVERGENCES),
    chart('Gain on held-out places, nats a token', GAINS),
  ];
  return charts.filter(({ series }) => series.length > 0);
}

/** The chart in a sentence, for who can't see it. */
export function summaryOf({ title, labels, series, format }: Chart): string {
  const parts = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${name}: nothing yet`;
    const range = `from ${format(Math.min(...known))} to ${format(Math.max(...known))}`;
    return `${name}: ${range}, last ${format(known.at(-1)!)}`;
  });
  return `${title}, ${labels.length} points. ${parts.join('. ')}.`;
}

/** The chart as a table, newest first, with the versions that began to serve where there are any. */
export function tableOf(chart: Chart): { head: string[]; rows: string[][] } {
  const { pointName, labels, series, format, marks } = chart;
  const head = [pointName, ...series.map(({ name }) => name)];
  const rows = labels.map((label, index) => {
    const began = marks.filter(({ position }) => Math.floor(position) === index).map((mark) => mark.label);
    const cells = [label, ...series.map(({ values }) => format(values[index] ?? null))];
    return marks.length === 0 ? cells : [...cells, began.join(', ')];
  });
  const used = rows.filter((row) => row.slice(1).some((cell) => cell !== UNKNOWN && cell !== ''));
  return { head: marks.length === 0 ? head : [...head, 'New version'], rows: used.toReversed() };
}

function versionMarks(buckets: readonly Bucket[], changes: StoreFigures['versionChanges']): Chart['marks'] {
  return changes.flatMap(({ at, version }) => {
    const index = buckets.findIndex(({ from, to }) => at >= from && at < to);
    if (index < 0) return [];
    const { from, to } = buckets[index]!;
    return [{ position: index + (at - from) / (to - from), label: `v${version}` }];
  });
}
