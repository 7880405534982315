import type { ServedOutcome } from '../store/types.ts';
import { quantile } from '../replay/statistics.ts';
import { ALARM_NAMES, gamingAlarms, type Alarm } from './alarms.ts';
import { MAX_RECENT, windowsOf, type ChainLink } from './fuse.ts';
import { servedFigures, tallyOf } from './tally.ts';

/** How the newest of what is served looks. */
export interface Watched {
  /** By tag; each alarm is 0 or 1. */
  figures: Record<string, number>;
  alarms: Alarm[];
}

/** Figures of the newest outcomes on the way of versions that is served, and what is wrong with them. */
export function watchServed(rows: readonly ServedOutcome[], chain: readonly ChainLink[]): Watched {
  const versions = new Set(chain.map((link) => link.version));
  const newest = rows.filter((row) => versions.has(row.version)).slice(0, MAX_RECENT);
  const [windows] = windowsOf(rows, chain);
  const now = tallyOf(windows?.recent ?? newest);
  const alarms = gamingAlarms(tallyOf(windows?.earlier ?? []), now);
  const raised = new Set(alarms.map((alarm) => alarm.name));
  const flags = ALARM_NAMES.map((name) => [`alarm/${name}`, raised.has(name) ? 1 : 0] as const);
  return {
    figures: { ...servedFigures(tallyOf(newest)), ...latencyFigures(newest), ...Object.fromEntries(flags) },
    alarms,
  };
}

/** What one version served: kept with it. */
export function figuresOfVersion(rows: readonly ServedOutcome[], version: number): Record<string, number> {
  const own = rows.filter((row) => row.version === version);
  return own.length === 0 ? {} : { ...servedFigures(tallyOf(own)), ...latencyFigures(own) };
}

/** Milliseconds until the first token and the whole answer. */
function latencyFigures(rows: readonly ServedOutcome[]): Record<string, number> {
  if (rows.length === 0) return {};
  const first = rows.map((row) => row.latency.firstToken);
  const total = rows.map((row) => row.latency.total);
  return {
    'time/first_token_ms_p50': quantile(first, 0.5),
    'time/first_token_ms_p95': quantile(first, 0.95),
    'time/completion_ms_p50': quantile(total, 0.5),
    'time/completion_ms_p95': quantile(total, 0.95),
  };
}
