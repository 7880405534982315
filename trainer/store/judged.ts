import type Database from 'better-sqlite3';
import type { Evidence, Outcome } from '../../extension/common/contracts/index.ts';
import { survivalOf, type SurvivalCheckpoint } from '../../extension/common/reward/survival.ts';
import { CHECKPOINTS } from './facts.ts';
import type { JudgedOutcome, StoredPrediction } from './types.ts';

export interface JudgedTable {
  /** Outcomes of a model's completions for which a prediction is recorded: the newest, at most `limit`, oldest first. */
  newest(modelHash: string, limit: number): JudgedOutcome[];
}

/** What was predicted of completions, and what became of them. */
export function createJudgedTable(database: Database.Database): JudgedTable {
  const newest = database.prepare(`
    SELECT completions.acceptance, completions.workspace_key, events.at, outcomes.outcome, outcomes.evidence,
      length(outcomes.shown_text) AS shown_chars, outcomes.shown_ms,
      (SELECT ${CHECKPOINTS} FROM retentions WHERE retentions.completion_id = outcomes.completion_id) AS retention
    FROM events
    CROSS JOIN outcomes ON outcomes.event_id = events.id
    CROSS JOIN completions ON completions.id = outcomes.completion_id
    WHERE completions.model_hash = ? AND completions.acceptance IS NOT NULL
    ORDER BY events.seq DESC LIMIT ?`);
  return {
    newest: (modelHash, limit) => (newest.all(modelHash, limit) as JudgedDbRow[]).map(judgedOf).reverse(),
  };
}

interface JudgedDbRow {
  acceptance: string;
  workspace_key: string;
  at: number;
  outcome: string;
  evidence: Evidence;
  shown_chars: number;
  shown_ms: number;
  retention: string;
}

function judgedOf(row: JudgedDbRow): JudgedOutcome {
  return {
    prediction: JSON.parse(row.acceptance) as StoredPrediction,
    workspaceKey: row.workspace_key,
    at: row.at,
    outcome: JSON.parse(row.outcome) as Outcome,
    evidence: row.evidence,
    shownChars: row.shown_chars,
    shownMs: row.shown_ms,
    retained: survivalOf(JSON.parse(row.retention) as SurvivalCheckpoint[])?.fraction ?? null,
  };
}
