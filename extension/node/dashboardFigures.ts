import type { Database } from 'better-sqlite3';
import type { Bucket, DashboardUnit, StoreFigures, Suggestion } from '../common/contracts/dashboard.ts';
import {
  dayRanges,
  MAX_SHOWN_POINTS,
  SHOWN_A_POINT,
  shownRanges,
  type Range,
} from '../common/dashboard/ranges.ts';

const RECENT_SUGGESTIONS = 100;
/** Longer texts are cut: a row of the dashboard shows no more. */
const ROW_TEXT_CHARS = 300;
/** Newest changes of the version in service that are marked in a chart. */
const MAX_VERSION_CHANGES = 100;

/** Ranges come as a JSON array of [from, to); the other table is searched once a range. */
const RANGES =
  'WITH ranges AS (SELECT key AS place, value ->> 0 AS low, value ->> 1 AS high FROM json_each(?))';

/** Every statement of the dashboard, for a test that looks at their plans, too. */
export const DASHBOARD_SQL = {
  shownTimes: `SELECT at FROM events WHERE kind = 'outcome' AND shown = 1 ORDER BY at DESC LIMIT ?`,
  outcomes: `${RANGES}
    SELECT place, count(*) AS requests, sum(shown) AS shown, count(judged) AS judged,
      coalesce(sum(judged), 0) AS taken, sum(outcome = 'silent') AS silent,
      sum(outcome = 'suppressed') AS suppressed, sum(taken_chars) AS takenChars,
      sum(CASE WHEN taken_chars > 0 THEN taken_chars * coalesce((
        SELECT fraction FROM events AS later
          WHERE later.kind = 'retention' AND later.completion_id = events.completion_id
            AND later.fraction IS NOT NULL
          ORDER BY after_seconds DESC LIMIT 1), 1) ELSE 0 END) AS keptChars
    FROM ranges CROSS JOIN events ON kind = 'outcome' AND at >= low AND at < high
    GROUP BY place`,
  latencies: `${RANGES}
    SELECT place, percentile(latency_ms, 50) AS p50, percentile(latency_ms, 95) AS p95
    FROM ranges CROSS JOIN completions ON created_at >= low AND created_at < high
    GROUP BY place`,
  written: `${RANGES}
    SELECT place, sum(chars) AS writtenChars
    FROM ranges CROSS JOIN written ON minute >= low AND minute < high
    GROUP BY place`,
  versionChanges: `SELECT at, version FROM (
      SELECT created_at AS at, adapter_version AS version,
        lag(adapter_version) OVER (ORDER BY created_at) AS before
      FROM completions WHERE created_at >= ?)
    WHERE version IS NOT before ORDER BY at DESC LIMIT ${MAX_VERSION_CHANGES}`,
  suggestions: `SELECT completions.id, created_at AS at, relative_path AS relativePath, language,
      substr(shown_text, 1, ${ROW_TEXT_CHARS}) AS shownText, length(shown_text) AS shownChars,
      adapter_version AS adapterVersion, latency_ms AS latencyMs, settled.body ->> '$.outcome' AS outcome,
      (SELECT fraction FROM events WHERE kind = 'retention' AND completion_id = completions.id
        AND fraction IS NOT NULL ORDER BY after_seconds DESC LIMIT 1) AS kept,
      (SELECT substr(body ->> '$.typed', 1, ${ROW_TEXT_CHARS}) FROM events
        WHERE kind = 'correction' AND completion_id = completions.id) AS typed
    FROM completions LEFT JOIN events AS settled
      ON settled.kind = 'outcome' AND settled.completion_id = completions.id
    ORDER BY created_at DESC LIMIT ${RECENT_SUGGESTIONS}`,
  since: `SELECT min(at) AS since
    FROM (SELECT min(created_at) AS at FROM completions UNION ALL SELECT min(at) FROM events)`,
  // What is deleted from the middle changes the counts alone.
  revision: `SELECT (SELECT max(rowid) FROM completions) AS a, (SELECT max(rowid) FROM events) AS b,
    (SELECT count(*) FROM completions) AS c, (SELECT count(*) FROM events) AS d,
    (SELECT max(minute) FROM written) AS e`,
} as const;

const EMPTY = {
  requests: 0,
  shown: 0,
  judged: 0,
  taken: 0,
  silent: 0,
  suppressed: 0,
  takenChars: 0,
  keptChars: 0,
  writtenChars: 0,
  latency: null,
};

/** What the dashboard shows of the extension's own store, but for the counts of its tables. */
export function dashboardFigures(
  database: Database,
  unit: DashboardUnit,
  now: number,
): Omit<StoreFigures, 'counts'> {
  const ranges = rangesOf(database, unit, now);
  return {
    buckets: bucketsOf(database, ranges),
    versionChanges: versionChanges(database, ranges[0]?.from ?? now),
    suggestions: suggestionsOf(database),
    ...(database.prepare(DASHBOARD_SQL.since).get() as { since: number | null }),
    bytes: (database.pragma('page_count', { simple: true }) as number) * pageBytes(database),
  };
}

/** Changes whenever the figures may have; cheap. */
export function dashboardRevision(database: Database): string {
  return JSON.stringify(database.prepare(DASHBOARD_SQL.revision).get());
}

function rangesOf(database: Database, unit: DashboardUnit, now: number): Range[] {
  if (unit !== '50shown') return dayRanges(now, unit);
  const times = database
    .prepare(DASHBOARD_SQL.shownTimes)
    .pluck()
    .all(MAX_SHOWN_POINTS * SHOWN_A_POINT);
  return shownRanges(times as number[], SHOWN_A_POINT, now);
}

function bucketsOf(database: Database, ranges: Range[]): Bucket[] {
  const bounds = JSON.stringify(ranges.map(({ from, to }) => [from, to]));
  const buckets: Bucket[] = ranges.map((range) => ({ ...range, ...EMPTY }));
  for (const { place, ...counts } of rowsOf<Partial<Bucket>>(database, DASHBOARD_SQL.outcomes, bounds))
    Object.assign(buckets[place]!, counts);
  for (const { place, writtenChars } of rowsOf<Bucket>(database, DASHBOARD_SQL.written, bounds))
    buckets[place]!.writtenChars = writtenChars;
  for (const { place, ...latency } of rowsOf<NonNullable<Bucket['latency']>>(
    database,
    DASHBOARD_SQL.latencies,
    bounds,
  ))
    buckets[place]!.latency = latency;
  return buckets;
}

function versionChanges(database: Database, since: number): StoreFigures['versionChanges'] {
  const newestFirst = database.prepare(DASHBOARD_SQL.versionChanges).all(since);
  return (newestFirst as StoreFigures['versionChanges']).toReversed();
}

function suggestionsOf(database: Database): Suggestion[] {
  const rows = database.prepare(DASHBOARD_SQL.suggestions).all() as (Omit<Suggestion, 'outcome'> & {
    outcome: string | null;
  })[];
  return rows.map((row) => ({
    ...row,
    outcome: row.outcome === null ? null : (JSON.parse(row.outcome) as Suggestion['outcome']),
  }));
}

function rowsOf<Row>(database: Database, sql: string, bounds: string): (Row & { place: number })[] {
  return database.prepare(sql).all(bounds) as (Row & { place: number })[];
}

function pageBytes(database: Database): number {
  return database.pragma('page_size', { simple: true }) as number;
}
