import type Database from 'better-sqlite3';
import type { Evidence, Outcome } from '../../extension/common/contracts/index.ts';
import { survivalOf, type SurvivalCheckpoint } from '../../extension/common/reward/survival.ts';
import type { CompletionTable } from './completions.ts';
import type { DocumentOutcome, OutcomeFacts, StoredCompletion, TrainingFacts } from './types.ts';

/** What was told of an accepted text's survival, as a JSON list. */
export const CHECKPOINTS =
  "json_group_array(json_object('afterSeconds', after_seconds, 'fraction', fraction))";

interface OutcomeCounts {
  heldOut: number;
  trained: number;
  dropped: Record<string, number>;
}

export interface FactTable {
  /** Outcomes that are not held out and not decided about, in the order of arrival. */
  undecided(): OutcomeFacts[];
  /** The newest outcomes, at most `limit`, that an update has used, in the order of arrival. */
  decided(limit: number): OutcomeFacts[];
  /** Held-out outcomes, newest first, at most `limit`; those of one workspace when one is named. */
  heldOut(limit: number, workspaceKey?: string): OutcomeFacts[];
  /** Outcomes of completions in the same document and session, asked for in [from, to], in the order of time. */
  inDocument(completion: StoredCompletion, from: number, to: number): DocumentOutcome[];
  /** Adds the completion and its predecessor; null when the completion is not recorded. */
  training(facts: OutcomeFacts): TrainingFacts | null;
  /** Takes events out of the queue with the reason why nothing is learned from them. */
  drop(dropped: { eventId: string; reason: string }[]): void;
  /** Read from kept counters: it takes as long however many outcomes are stored. */
  counts(): OutcomeCounts;
  /** Not held out and not decided about. */
  undecidedCount(): number;
}

/** Outcomes joined with their later facts: what eligibility, rewards and samples are computed from. */
export function createFactTable(database: Database.Database, completions: CompletionTable): FactTable {
  const select = `
    SELECT outcomes.*, corrections.event_id AS correction_event, corrections.typed,
      (SELECT ${CHECKPOINTS} FROM retentions
        WHERE retentions.completion_id = outcomes.completion_id) AS retention,
      completions.source, completions.model_hash, completions.adapter_version, completions.workspace_key,
      completions.created_at, completions.offset, completions.temperature, completions.top_p, completions.top_k, completions.repetition_penalty, completions.seed,
      length(completions.generated_tokens) / 4 AS generated_count
    FROM outcomes
    LEFT JOIN completions ON completions.id = outcomes.completion_id
    LEFT JOIN corrections ON corrections.completion_id = outcomes.completion_id`;
  const undecided = database.prepare(
    `${select} WHERE outcomes.held_out = 0 AND outcomes.state = 'new' ORDER BY outcomes.seq`,
  );
  const heldOut = database.prepare(
    `${select} WHERE outcomes.held_out = 1 AND (@key IS NULL OR completions.workspace_key = @key)
       ORDER BY outcomes.seq DESC LIMIT @limit`,
  );
  const decided = database.prepare(
    `${select} WHERE outcomes.held_out = 0 AND outcomes.state IN ('trained', 'refused')
       ORDER BY outcomes.seq DESC LIMIT ?`,
  );
  const inDocument = database.prepare(
    `${select} WHERE completions.workspace_key = @workspaceKey AND completions.relative_path = @relativePath
       AND completions.session = @session AND completions.created_at BETWEEN @from AND @to
       ORDER BY completions.created_at, completions.id`,
  );
  const drop = database.prepare(
    "UPDATE outcomes SET state = 'dropped', drop_reason = ? WHERE event_id = ? AND state = 'new'",
  );
  const counts = database.prepare('SELECT * FROM outcome_counts WHERE number > 0');
  const undecidedCount = database
    .prepare("SELECT total(number) FROM outcome_counts WHERE held_out = 0 AND state = 'new'")
    .pluck();
  return {
    undecided: () => (undecided.all() as FactRow[]).map(factsOf),
    decided: (limit) => (decided.all(limit) as FactRow[]).map(factsOf).toReversed(),
    heldOut: (limit, key) => (heldOut.all({ limit, key: key ?? null }) as FactRow[]).map(factsOf),
    inDocument({ workspaceKey, relativePath, session }, from, to) {
      const rows = inDocument.all({ workspaceKey, relativePath, session, from, to }) as FactRow[];
      return rows.map((row) => ({ facts: factsOf(row), at: row.created_at, offset: row.offset }));
    },
    training(facts) {
      const completion = completions.get(facts.completionId);
      if (completion === null) return null;
      return { facts, completion, previous: completions.previousInDocument(completion) };
    },
    drop: database.transaction((dropped: { eventId: string; reason: string }[]) => {
      for (const { eventId, reason } of dropped) drop.run(reason, eventId);
    }),
    counts: () => countsOf(counts.all() as CountRow[]),
    undecidedCount: () => undecidedCount.get() as number,
  };
}

interface FactRow {
  event_id: string;
  completion_id: string;
  seq: number;
  received_at: number;
  origin: 'full' | 'flat';
  outcome: string;
  evidence: Evidence;
  shown_text: string;
  shown_ms: number;
  held_out: number;
  correction_event: string | null;
  typed: string | null;
  retention: string;
  source: 'served' | 'client' | null;
  model_hash: string;
  adapter_version: number;
  workspace_key: string;
  created_at: number;
  offset: number;
  temperature: number;
  top_p: number;
  top_k: number;
  repetition_penalty: number;
  seed: number | null;
  generated_count: number;
}

function factsOf(row: FactRow): OutcomeFacts {
  return {
    eventId: row.event_id,
    completionId: row.completion_id,
    seq: row.seq,
    receivedAt: row.received_at,
    origin: row.origin,
    outcome: JSON.parse(row.outcome) as Outcome,
    evidence: row.evidence,
    shownText: row.shown_text,
    shownMs: row.shown_ms,
    heldOut: row.held_out === 1,
    retention: survivalOf(JSON.parse(row.retention) as SurvivalCheckpoint[]),
    correction: row.correction_event === null ? null : { typed: row.typed },
    completion:
      row.source === null
        ? null
        : {
            source: row.source,
            modelHash: row.model_hash,
            workspaceKey: row.workspace_key,
            adapterVersion: row.adapter_version,
            sampling: {
              temperature: row.temperature,
              topP: row.top_p,
              topK: row.top_k,
              repetitionPenalty: row.repetition_penalty,
              seed: row.seed,
            },
            generatedCount: row.generated_count,
          },
  };
}

interface CountRow {
  held_out: number;
  state: 'new' | 'trained' | 'refused' | 'dropped';
  /** Empty where there is none. */
  drop_reason: string;
  number: number;
}

function countsOf(rows: CountRow[]): OutcomeCounts {
  const counts: OutcomeCounts = { heldOut: 0, trained: 0, dropped: {} };
  for (const row of rows) {
    if (row.held_out === 1) counts.heldOut += row.number;
    else if (row.state === 'trained') counts.trained += row.number;
    else if (row.state !== 'new') {
      const reason = row.state === 'refused' ? REFUSED_REASON : row.drop_reason || 'unknown';
      counts.dropped[reason] = (counts.dropped[reason] ?? 0) + row.number;
    }
  }
  return counts;
}

/** Events of an update that the gate refused. */
const REFUSED_REASON = 'updateRejected';
