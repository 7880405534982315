import type { ServedTable } from '../store/served.ts';
import type { ServedOutcome } from '../store/types.ts';
import { quantile } from '../replay/statistics.ts';
import { ALARM_NAMES, gamingAlarms, type Alarm } from './alarms.ts';
import { MAX_RECENT, windowsOf, type ChainLink } from './fuse.ts';
import { servedFigures, tallyOf } from './tally.ts';

/** Outcomes that figures are of. */
const REQUESTS = 'served/requests';

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

/** Newest outcomes that are read for what each version served. */
const READ_OUTCOMES = 2000;

/**
 * What each version of a model served, the base included, from the stored outcomes: accept rate, latency and the other
 * figures of `figuresOfVersion`, by version.
 */
export function servedByVersion(
  store: { served: Pick<ServedTable, 'newest'> },
  modelHash: string,
): Map<number, Record<string, number>> {
  const rows = store.served.newest(modelHash, READ_OUTCOMES);
  const versions = new Set(rows.map((row) => row.version));
  return new Map([...versions].map((version) => [version, figuresOfVersion(rows, version)]));
}

/** Figures that were kept with a version, and those of its stored outcomes where they are of as many or more. */
export function mergeServed(
  kept: Record<string, number>,
  served: Record<string, number> | undefined,
): Record<string, number> {
  const isNewer = (served?.[REQUESTS] ?? 0) >= (kept[REQUESTS] ?? 0);
  return isNewer ? { ...kept, ...served } : kept;
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
