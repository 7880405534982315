/** The tables of docs/completions.md. */
import { FILTER_NAMES } from '../../../extension/common/filters/index.ts';
import {
  pairedBootstrap,
  quantile,
  sumByKey,
  type PairedInterval,
} from '../../../trainer/replay/statistics.ts';
import { percent, signed } from '../../../trainer/replay/table.ts';
import { show, type Answer, type Shown } from './measure.ts';

const SEED = 1;
const PER_CHARS = 1000;

/** One row an arm, each against the first; `answers` holds the same places in the same order for every arm. */
export function contextTable(arms: readonly string[], answers: readonly Answer[]): string {
  const of = (arm: string): Answer[] => answers.filter((answer) => answer.arm === arm);
  const base = of(arms[0]!);
  const head = [
    'context',
    'exact line',
    'edit similarity',
    'characters saved per 1,000',
    'shown',
    'places with context',
    'prompt tokens',
    'latency p50 / p95',
    'p95 against the first',
    'retrieval p95',
  ];
  const latency = (list: Answer[], q: number): number => quantile(valuesOf(list, 'latencyMs'), q);
  const shown = (list: Answer[]): Shown[] => list.map((one) => show(one));
  const rows = arms.map((arm) => {
    const here = of(arm);
    return [
      arm,
      ...compared(shown(base), shown(here), here),
      percent(share(here, (one) => one.pieces > 0)),
      (valuesOf(here, 'promptTokens').reduce((sum, tokens) => sum + tokens, 0) / here.length).toFixed(0),
      `${latency(here, 0.5).toFixed(0)} / ${latency(here, 0.95).toFixed(0)} ms`,
      `× ${(latency(here, 0.95) / latency(base, 0.95)).toFixed(2)}`,
      `${quantile(valuesOf(here, 'retrievalMs'), 0.95).toFixed(0)} ms`,
    ];
  });
  return markdown([head, ...rows]);
}

/** What each filter changed, and what is lost or won without it. */
export function filterTable(answers: readonly Answer[]): string {
  const all = answers.map((one) => show(one));
  const head = [
    'without',
    'answers it changed',
    'exact line',
    'edit similarity',
    'characters saved per 1,000',
    'shown',
  ];
  const rows = FILTER_NAMES.map((name) => {
    const changed = all.filter((one) => one.result.filters.includes(name)).length;
    if (changed === 0) return [name, '0', '', '', '', ''];
    const off = answers.map((one) => show(one, new Set([name])));
    return [name, String(changed), ...compared(all, off, answers)];
  });
  return markdown([head, ['all filters on', '', ...compared(all, all, answers)], ...rows]);
}

function valuesOf(answers: readonly Answer[], field: 'latencyMs' | 'retrievalMs' | 'promptTokens'): number[] {
  return answers.map((answer) => answer[field]);
}

function compared(before: readonly Shown[], after: readonly Shown[], places: readonly Answer[]): string[] {
  const interval = (value: (one: Shown) => number, weight: (one: Answer) => number): PairedInterval =>
    pairedBootstrap(
      sumByKey(
        places.map((place, i) => ({
          key: place.path,
          before: value(before[i]!),
          after: value(after[i]!),
          weight: weight(place),
        })),
      ),
      SEED,
    );
  const exact = interval(
    (one) => (one.exact ? 1 : 0),
    () => 1,
  );
  const similarity = interval(
    (one) => one.similarity,
    () => 1,
  );
  const saved = interval(
    (one) => one.savedChars,
    (one) => one.rest.length,
  );
  return [
    withChange(exact, 100, 1, ' %'),
    withChange(similarity, 1, 3, ''),
    withChange(saved, PER_CHARS, 0, ''),
    percent(share(after, (one) => one.result.text !== '')),
  ];
}

function withChange(interval: PairedInterval, scale: number, digits: number, unit: string): string {
  const { after, difference, low, high } = interval;
  const value = `${(scale * after).toFixed(digits)}${unit}`;
  if (difference === 0 && low === 0 && high === 0) return value;
  const change = [difference, low, high].map((one) => signed(scale * one, digits));
  return `${value} (${change[0]}, ${change[1]} … ${change[2]})`;
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.length === 0 ? 0 : items.filter(holds).length / items.length;
}

function markdown(rows: readonly (readonly string[])[]): string {
  const [head, ...body] = rows;
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head!), line(head!.map(() => '---')), ...body.map(line)].join('\n');
}
