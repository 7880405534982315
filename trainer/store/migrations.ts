/**
 * Ordered SQL: entry n brings a database from `user_version` n to n + 1. An entry is never changed once released;
 * a new one is added below.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE models (
    hash TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    path TEXT NOT NULL
  ) STRICT;

  -- One row a recorded request; token ids as little-endian uint32, log-probabilities as float32 (NaN: not asked for).
  CREATE TABLE completions (
    id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('served', 'client')),
    session TEXT NOT NULL,
    workspace_key TEXT NOT NULL,
    relative_path TEXT NOT NULL,
    language TEXT NOT NULL,
    document_version INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    column_utf16 INTEGER NOT NULL,
    held_out INTEGER NOT NULL CHECK (held_out IN (0, 1)),
    prompt_text TEXT NOT NULL,
    prompt_tokens BLOB,
    prompt_hash TEXT NOT NULL,
    request_hash TEXT,
    model_hash TEXT NOT NULL,
    adapter_version INTEGER NOT NULL,
    temperature REAL NOT NULL,
    top_p REAL NOT NULL,
    top_k INTEGER NOT NULL,
    repetition_penalty REAL NOT NULL,
    seed INTEGER,
    generated_tokens BLOB NOT NULL,
    generated_logprobs BLOB NOT NULL,
    finish_reason TEXT NOT NULL,
    ended INTEGER NOT NULL,
    raw_text TEXT NOT NULL,
    cache_origin TEXT NOT NULL,
    latency TEXT NOT NULL
  ) STRICT;
  CREATE INDEX completions_document ON completions (workspace_key, relative_path, created_at);
  CREATE INDEX completions_prompt ON completions (prompt_hash);
  CREATE INDEX completions_request ON completions (request_hash) WHERE request_hash IS NOT NULL;
  CREATE INDEX completions_age ON completions (created_at);

  -- Every event as it came, in the order of arrival; what was acknowledged is here.
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    completion_id TEXT NOT NULL,
    at REAL NOT NULL,
    received_at INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_completion ON events (completion_id);

  -- The terminal outcome of a completion. state: new until an update or a drop has decided about it.
  CREATE TABLE outcomes (
    event_id TEXT PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
    completion_id TEXT NOT NULL UNIQUE,
    seq INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('full', 'flat')),
    outcome TEXT NOT NULL,
    evidence TEXT NOT NULL,
    shown_text TEXT NOT NULL,
    shown_ms REAL NOT NULL,
    held_out INTEGER NOT NULL CHECK (held_out IN (0, 1)),
    state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'trained', 'refused', 'dropped')),
    drop_reason TEXT
  ) STRICT;
  CREATE INDEX outcomes_state ON outcomes (held_out, state, seq);

  CREATE TABLE retentions (
    event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    completion_id TEXT NOT NULL,
    after_seconds INTEGER NOT NULL,
    fraction REAL,
    UNIQUE (completion_id, after_seconds)
  ) STRICT;

  CREATE TABLE corrections (
    event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    completion_id TEXT NOT NULL UNIQUE,
    typed TEXT
  ) STRICT;

  -- Versions are unique in the data folder, whatever the model; 0 is every model's base and has no row.
  CREATE TABLE adapters (
    version INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL,
    file TEXT NOT NULL,
    model_hash TEXT NOT NULL REFERENCES models (hash),
    workspace_key TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('promoted', 'provisional', 'rejected', 'rolledBack')),
    scale REAL NOT NULL,
    figures TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    collected INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE active (
    model_hash TEXT NOT NULL,
    workspace_key TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (model_hash, workspace_key)
  ) STRICT;

  -- Every decision about an update, with all its numbers.
  CREATE TABLE runs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    model_hash TEXT NOT NULL,
    workspace_key TEXT NOT NULL,
    parent INTEGER NOT NULL,
    version INTEGER,
    event_set TEXT NOT NULL,
    events INTEGER NOT NULL,
    decision TEXT NOT NULL CHECK (decision IN ('promoted', 'provisional', 'rejected', 'failed')),
    reason TEXT NOT NULL,
    seconds TEXT NOT NULL,
    figures TEXT NOT NULL,
    scores TEXT NOT NULL,
    config TEXT NOT NULL
  ) STRICT;
  -- One (parent version, set of events) gives one update.
  CREATE UNIQUE INDEX runs_once ON runs (model_hash, parent, event_set) WHERE decision <> 'failed';

  CREATE TABLE trained (
    event_id TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (id),
    PRIMARY KEY (event_id, run_id)
  ) STRICT;

  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  `,
  `
  -- How many outcomes stand where, kept by triggers in the transaction that changes them: the status is asked for
  -- often, and counting the rows takes longer the more there are. drop_reason: '' where there is none.
  CREATE TABLE outcome_counts (
    held_out INTEGER NOT NULL,
    state TEXT NOT NULL,
    drop_reason TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (held_out, state, drop_reason)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO outcome_counts
    SELECT held_out, state, coalesce(drop_reason, ''), count(*) FROM outcomes GROUP BY 1, 2, 3;

  CREATE TRIGGER outcomes_inserted AFTER INSERT ON outcomes BEGIN
    INSERT INTO outcome_counts VALUES (NEW.held_out, NEW.state, coalesce(NEW.drop_reason, ''), 1)
      ON CONFLICT DO UPDATE SET number = number + 1;
  END;
  CREATE TRIGGER outcomes_deleted AFTER DELETE ON outcomes BEGIN
    UPDATE outcome_counts SET number = number - 1
      WHERE held_out = OLD.held_out AND state = OLD.state AND drop_reason = coalesce(OLD.drop_reason, '');
  END;
  CREATE TRIGGER outcomes_decided AFTER UPDATE OF held_out, state, drop_reason ON outcomes BEGIN
    UPDATE outcome_counts SET number = number - 1
      WHERE held_out = OLD.held_out AND state = OLD.state AND drop_reason = coalesce(OLD.drop_reason, '');
    INSERT INTO outcome_counts VALUES (NEW.held_out, NEW.state, coalesce(NEW.drop_reason, ''), 1)
      ON CONFLICT DO UPDATE SET number = number + 1;
  END;
  `,
  `
  -- At which scale the adapter served: of what was served before, the scale that the version has now is the best guess.
  ALTER TABLE completions ADD COLUMN adapter_scale REAL NOT NULL DEFAULT 1;
  UPDATE completions SET adapter_scale = adapters.scale FROM adapters
    WHERE adapters.version = completions.adapter_version;
  -- Log-probabilities of the generated tokens at temperature 1, as float32.
  ALTER TABLE completions ADD COLUMN model_logprobs BLOB NOT NULL DEFAULT x'';
  `,
  `
  -- Adapters lie in checkpoints/WORKSPACE/global_step_VERSION; the ones before stay where they are.
  UPDATE adapters SET file = '../adapters/' || file;
  `,
  `
  -- Ids of completions and events that were deleted while more about them could still come: it is not stored.
  CREATE TABLE forgotten (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) STRICT;
  -- Where an event came from that an adapter has learned from: the event itself is pruned before the adapter is.
  -- NULL: not known.
  ALTER TABLE trained ADD COLUMN workspace_key TEXT;
  UPDATE trained SET workspace_key = completions.workspace_key FROM outcomes
    JOIN completions ON completions.id = outcomes.completion_id WHERE outcomes.event_id = trained.event_id;
  `,
  `
  -- Predicted chances of acceptance and the features they were computed from, as JSON; NULL: none was predicted.
  ALTER TABLE completions ADD COLUMN acceptance TEXT;
  `,
];
