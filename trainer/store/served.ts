import type Database from 'better-sqlite3';
import type { Evidence, Outcome } from '../../extension/common/contracts/index.ts';
import { takeApartFim } from '../../extension/common/prompt/fimParse.ts';
import { survivalOf, type SurvivalCheckpoint } from '../../extension/common/reward/survival.ts';
import { CHECKPOINTS } from './facts.ts';
import type { CompletionRecord, ServedOutcome } from './types.ts';

export interface ServedTable {
  /**
   * Outcomes of completions that this companion served with a model, newest first, at most `limit`; of those of one
   * workspace, when one is named.
   */
  newest(modelHash: string, limit: number, workspaceKey?: string): ServedOutcome[];
  /** Workspaces of the completions that events after one are about. */
  workspacesSince(event: number): string[];
  /** Grows with every event; 0: there is none. */
  lastEvent(): number;
}

/** What became of what was served, for watching it: outcomes with the text that the model wrote. */
export function createServedTable(database: Database.Database): ServedTable {
  // CROSS JOIN keeps the order of the tables: the journal is read from its end, and only as far as needed.
  const newest = database.prepare(`
    SELECT completions.adapter_version, completions.raw_text, completions.prompt_text, completions.latency,
      outcomes.outcome, outcomes.evidence, outcomes.shown_text, outcomes.shown_ms,
      (SELECT ${CHECKPOINTS} FROM retentions WHERE retentions.completion_id = outcomes.completion_id) AS retention
    FROM events
    CROSS JOIN outcomes ON outcomes.event_id = events.id
    CROSS JOIN completions ON completions.id = outcomes.completion_id
    WHERE completions.source = 'served' AND completions.model_hash = @modelHash
      AND (@key IS NULL OR completions.workspace_key = @key)
    ORDER BY events.seq DESC LIMIT @limit`);
  const workspaces = database
    .prepare(
      `SELECT DISTINCT completions.workspace_key FROM events
         JOIN completions ON completions.id = events.completion_id WHERE events.seq > ?`,
    )
    .pluck();
  const last = database.prepare('SELECT max(seq) FROM events').pluck();
  return {
    newest: (modelHash, limit, key) =>
      (newest.all({ modelHash, limit, key: key ?? null }) as ServedDbRow[]).map(servedOf),
    workspacesSince: (event) => workspaces.all(event) as string[],
    lastEvent: () => (last.get() as number | null) ?? 0,
  };
}

interface ServedDbRow {
  adapter_version: number;
  raw_text: string;
  prompt_text: string;
  latency: string;
  outcome: string;
  evidence: Evidence;
  shown_text: string;
  shown_ms: number;
  retention: string;
}

function servedOf(row: ServedDbRow): ServedOutcome {
  return {
    version: row.adapter_version,
    outcome: JSON.parse(row.outcome) as Outcome,
    evidence: row.evidence,
    shownText: row.shown_text,
    shownMs: row.shown_ms,
    retained: survivalOf(JSON.parse(row.retention) as SurvivalCheckpoint[])?.fraction ?? null,
    rawText: row.raw_text,
    suffix: takeApartFim(row.prompt_text)?.document.suffix ?? '',
    latency: JSON.parse(row.latency) as CompletionRecord['latency'],
  };
}
