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
