import type { Database } from 'better-sqlite3';

/** One entry a version; `user_version` says how many have run. Entries are never edited, only added. */
const MIGRATIONS = [
  `
  -- What was displayed, hidden by a filter, or left empty by the model. Nothing of a request that may not be recorded.
  CREATE TABLE completions (
    id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    window TEXT NOT NULL,
    workspace_key TEXT NOT NULL,
    relative_path TEXT NOT NULL,
    language TEXT NOT NULL,
    document_version INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    shown_text TEXT NOT NULL,
    raw_text TEXT NOT NULL,
    filters TEXT NOT NULL,
    adapter_version INTEGER NOT NULL,
    model TEXT NOT NULL,
    latency_ms REAL NOT NULL
  ) STRICT;
  CREATE INDEX completions_by_time ON completions (created_at);

  CREATE TABLE events (
    id TEXT PRIMARY KEY,
    completion_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    at REAL NOT NULL,
    outcome TEXT,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_by_completion ON events (completion_id);
  CREATE INDEX events_by_time ON events (at);
  -- Exactly one terminal outcome a completion, one correction, one survival a checkpoint.
  CREATE UNIQUE INDEX one_outcome ON events (completion_id) WHERE kind = 'outcome';
  CREATE UNIQUE INDEX one_correction ON events (completion_id) WHERE kind = 'correction';

  -- Events on their way to the companion. A row goes when the companion has said that the event is durable there.
  CREATE TABLE outbox (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL UNIQUE REFERENCES events (id) ON DELETE CASCADE,
    window TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL DEFAULT 0,
    last_error TEXT
  ) STRICT;
  CREATE INDEX outbox_by_window ON outbox (window, next_at);

  -- Events that the companion refuses for what they are; kept to be looked at.
  CREATE TABLE refused (
    event_id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    error TEXT NOT NULL
  ) STRICT;

  CREATE TABLE windows (
    id TEXT PRIMARY KEY,
    seen_at INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- How sure the model was of what was shown, at temperature 1, in nats; NULL: not told.
  ALTER TABLE completions ADD COLUMN mean_logprob REAL;
  ALTER TABLE completions ADD COLUMN min_logprob REAL;
  ALTER TABLE completions ADD COLUMN first_probability REAL;
  `,
  `
  -- Completions that were deleted while a window may still follow them: what comes later about them is not stored.
  CREATE TABLE forgotten (
    completion_id TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) STRICT;

  -- What the user had deleted, until the companion has deleted it as well.
  CREATE TABLE deletions (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    scope TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- What the dashboard counts, taken out of the body once, when the row is indexed.
  -- An ignored suggestion may never have been on display.
  ALTER TABLE events ADD COLUMN shown INTEGER AS (
    outcome IN ('accepted', 'partiallyAccepted', 'typedThrough', 'rejected')
      OR (outcome = 'ignored' AND body ->> '$.shownMs' > 0));
  ALTER TABLE events ADD COLUMN taken_chars INTEGER AS (CASE outcome
    WHEN 'accepted' THEN length(body ->> '$.shownText')
    WHEN 'partiallyAccepted' THEN body ->> '$.outcome.chars'
    WHEN 'typedThrough' THEN body ->> '$.outcome.chars'
    ELSE 0 END);
  -- 1: taken, in whole or in part; 0: not; NULL: nobody judged it.
  ALTER TABLE events ADD COLUMN judged INTEGER AS (CASE
    WHEN outcome IN ('accepted', 'partiallyAccepted', 'typedThrough') THEN 1
    WHEN outcome = 'rejected' AND body ->> '$.evidence' <> 'inferred' THEN 0
    END);
  ALTER TABLE events ADD COLUMN after_seconds INTEGER AS (body ->> '$.afterSeconds');
  ALTER TABLE events ADD COLUMN fraction REAL AS (body ->> '$.fraction');
  -- The kind is in the index, too: without it every row is read for it.
  CREATE INDEX outcome_figures ON events (at, outcome, shown, judged, taken_chars, completion_id, kind)
    WHERE kind = 'outcome';
  CREATE INDEX retention_figures ON events (completion_id, after_seconds, fraction, kind)
    WHERE kind = 'retention';

  DROP INDEX completions_by_time;
  CREATE INDEX completion_figures ON completions (created_at, adapter_version, latency_ms);

  -- Characters written in a minute by hand or taken from suggestions, in documents of which something may be recorded.
  CREATE TABLE written (
    minute INTEGER PRIMARY KEY,
    chars INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- Who has to delete: the address of the companion that was set when it was asked for; empty: the one of this machine.
  ALTER TABLE deletions ADD COLUMN companion TEXT NOT NULL DEFAULT '';
  `,
];

/** Brings a database of any earlier version to the current one. */
export function migrate(database: Database): void {
  database
    .transaction(() => {
      const version = database.pragma('user_version', { simple: true }) as number;
      if (version > MIGRATIONS.length) {
        throw new Error(
          `${database.name} was written by a newer version of Hone (${version} > ${MIGRATIONS.length}). Update the extension.`,
        );
      }
      for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
      database.pragma(`user_version = ${MIGRATIONS.length}`);
    })
    .immediate();
}
