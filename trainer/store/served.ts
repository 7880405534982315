import type Database from 'better-sqlite3';
import type { Evidence, Outcome } from '../../extension/common/contracts/index.ts';
import { takeApartFim } from '../../extension/common/prompt/fimParse.ts';
import { survivalOf, type SurvivalCheckpoint } from '../../extension/common/reward/survival.ts';
import { CHECKPOINTS } from './facts.ts';
import type { CompletionRecord, ServedOutcome } from './types.ts';

export interface ServedTable {
  /** Outcomes of completions that this companion served with a model, newest first, at most `limit`. */
  newest(modelHash: string, limit: number): ServedOutcome[];
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
    WHERE completions.source = 'served' AND completions.model_hash = ?
    ORDER BY events.seq DESC LIMIT ?`);
  const last = database.prepare('SELECT max(seq) FROM events').pluck();
  return {
    newest: (modelHash, limit) => (newest.all(modelHash, limit) as ServedDbRow[]).map(servedOf),
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
