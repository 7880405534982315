import type { RunSummary } from '../../extension/common/contracts/index.ts';
import type { ArmResult } from './experiment.ts';
import type { FileSplit } from './files.ts';
import type { Worth } from './metrics.ts';
import { quantile, type PairedInterval } from './statistics.ts';
import { milliseconds, percent, signed, table } from './table.ts';

const REPORT_VERSION = 1;

/** What `--report` writes and `--json` prints. */
export interface ReplayReport {
  v: typeof REPORT_VERSION;
  folder: string;
  streamedFiles: string[];
  heldOutFiles: string[];
  results: ArmResult[];
}

/** Every figure of the results, and which files were typed and which measured on, as JSON text. */
export function reportJson(folder: string, { streamed, heldOut }: FileSplit, results: ArmResult[]): string {
  const report: ReplayReport = {
    v: REPORT_VERSION,
    folder,
    streamedFiles: streamed.map((file) => file.path),
    heldOutFiles: heldOut.map((file) => file.path),
    results,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** Before and after on files that were never streamed, with 95 % intervals by file. */
export function beforeAfterTable(result: ArmResult): string {
  const { heldOut } = result;
  const rows = [
    ['', 'before', 'after', 'change', '95 % interval'],
    intervalRow('log-probability of what was typed, nats a token', heldOut.logprob, 3),
    intervalRow('exact line, greedy, %', heldOut.exact, 1, 100),
    intervalRow('kept characters per 1,000 typed', heldOut.kept, 0),
    worthRow('accepted, of what was shown', heldOut, (worth) => percent(worth.acceptRate)),
    worthRow('shown per 1,000 typed', heldOut, (worth) => worth.shownPer1000.toFixed(1)),
    worthRow('characters of a suggestion, mean', heldOut, (worth) => worth.meanShownChars.toFixed(1)),
    worthRow('silent', heldOut, (worth) => percent(worth.silentShare)),
    worthRow('hidden by a filter', heldOut, (worth) => percent(worth.suppressedShare)),
  ];
  return table(rows);
}

/** What an arm changed on the files never typed, in one line. */
export function armSentence({ heldOut, adapterVersion }: ArmResult): string {
  const { logprob, exact, kept } = heldOut;
  return (
    `adapter ${adapterVersion}: ${signed(logprob.difference, 3)} nats a token (${range(logprob, 3, 1)}), ` +
    `exact line ${signed(100 * exact.difference, 1)} points (${range(exact, 1, 100)}), ` +
    `kept ${signed(kept.difference, 0)} per 1,000 (${range(kept, 0, 1)})`
  );
}

/** One row an arm and seed, what was learned and what it was worth. */
export function armsTable(results: readonly ArmResult[]): string {
  const head = [
    'arm',
    'seed',
    'version',
    'nats a token',
    '95 %',
    'exact line',
    '95 %',
    'kept per 1,000',
    '95 %',
    'general',
  ];
  const rows = results.map((result) => {
    const { logprob, exact, kept } = result.heldOut;
    return [
      result.arm,
      String(result.seed),
      String(result.adapterVersion),
      signed(logprob.difference, 3),
      range(logprob, 3, 1),
      signed(100 * exact.difference, 1),
      range(exact, 1, 100),
      signed(kept.difference, 0),
      range(kept, 0, 1),
      lastGeneral(result.runs),
    ];
  });
  return table([head, ...rows]);
}

/** The stream itself, arm by arm. */
export function streamTable(results: readonly ArmResult[]): string {
  const head = [
    'arm',
    'seed',
    'requests',
    'accepted',
    'retained per 1,000',
    'shown per 1,000',
    'mean length',
    'silent',
    'hidden',
  ];
  const rows = results.map(({ arm, seed, requests, stream }) => [
    arm,
    String(seed),
    String(requests),
    percent(stream.acceptRate),
    stream.retainedPer1000.toFixed(0),
    stream.shownPer1000.toFixed(1),
    stream.meanShownChars.toFixed(1),
    percent(stream.silentShare),
    percent(stream.suppressedShare),
  ]);
  return table([head, ...rows]);
}

/** Seconds of every update by phase, and what the gate decided. */
export function updatesTable(runs: readonly RunSummary[]): string {
  if (runs.length === 0) return 'No update was made.';
  const phases = [...new Set(runs.flatMap((run) => Object.keys(run.seconds)))];
  const head = ['update', 'events', 'version', 'decision', ...phases.map((phase) => `${phase} s`)];
  const rows = runs.map((run, i) => [
    String(i + 1),
    String(run.events),
    run.version === null ? '-' : String(run.version),
    run.decision,
    ...phases.map((phase) => (run.seconds[phase] === undefined ? '-' : run.seconds[phase].toFixed(1))),
  ]);
  return table([head, ...rows]);
}

/** A row of a table: label, median, 95th percentile, number of requests. */
export function latencyRow(label: string, latencies: readonly number[]): string[] {
  const at = (q: number): string => milliseconds(quantile(latencies, q));
  return [label, at(0.5), at(0.95), String(latencies.length)];
}

function intervalRow(label: string, interval: PairedInterval, digits: number, scale = 1): string[] {
  return [
    label,
    (scale * interval.before).toFixed(digits),
    (scale * interval.after).toFixed(digits),
    signed(scale * interval.difference, digits),
    range(interval, digits, scale),
  ];
}

function worthRow(
  label: string,
  { before, after }: { before: Worth; after: Worth },
  format: (worth: Worth) => string,
): string[] {
  return [label, format(before), format(after)];
}

function range(interval: PairedInterval, digits: number, scale: number): string {
  return `${signed(scale * interval.low, digits)} … ${signed(scale * interval.high, digits)}`;
}

/** Loss on general code against the base, after the last update that was put into service. */
function lastGeneral(runs: readonly RunSummary[]): string {
  const last = runs.findLast((run) => run.decision === 'promoted' || run.decision === 'provisional');
  const rise = last?.figures['gate/general_loss_rise'];
  return rise === undefined ? '-' : signed(rise, 3);
}
