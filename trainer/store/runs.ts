import type Database from 'better-sqlite3';
import type { RunDecision } from '../../extension/common/contracts/index.ts';
import { ACTIVE_SQL } from './adapters.ts';
import { hashText } from './encoding.ts';
import type { RunRecord, RunRow } from './types.ts';

export interface RunTable {
  /**
   * Writes a decision down in one durable transaction: the run with its numbers, the candidate, which events it used
   * and, when it was promoted, the version in service. A failed run uses no events.
   *
   * @returns false when the parent is no longer in service or at another scale; nothing is written then.
   * @throws when the same events were already used on the same parent.
   */
  commit(run: RunRecord, baseline: unknown): boolean;
  /** Adds the time of a phase that follows the decision. */
  addSeconds(runId: string, phase: string, seconds: number): void;
  last(modelHash: string): RunRow | null;
  /** First layer that an adapter in service was learned in; null: none is in service. */
  firstLayerInService(modelHash: string): number | null;
  list(): RunRow[];
  /** The newest of a model, newest first. */
  newest(modelHash: string, limit: number): RunRow[];
  count(decision: RunDecision): number;
  /** Runs that used an event, by id. */
  runsOf(eventId: string): string[];
  /** State of the reward baseline of a model, as `commit` stored it; null at first. */
  baseline(modelHash: string): unknown;
}

const BASE_SCALE = 1;

/** Updates and their decisions, in the tables `runs`, `trained` and `adapters`. */
export function createRunTable(database: Database.Database): RunTable {
  const insertRun = database.prepare(
    `INSERT INTO runs VALUES (NULL, @id, @at, @modelHash, @workspaceKey, @parent, @version, @eventSet, @events,
       @decision, @reason, @seconds, @figures, @scores, @config)`,
  );
  const insertAdapter = database.prepare(
    `INSERT INTO adapters VALUES (@version, @parent, @file, @modelHash, @workspaceKey, @status, @scale, @figures,
       @at, 0)`,
  );
  const insertTrained = database.prepare(
    `INSERT INTO trained VALUES (@eventId, @runId, (SELECT completions.workspace_key FROM outcomes
       JOIN completions ON completions.id = outcomes.completion_id WHERE outcomes.event_id = @eventId))`,
  );
  const setState = database.prepare('UPDATE outcomes SET state = ? WHERE event_id = ?');
  const activeOf = database.prepare(ACTIVE_SQL).pluck();
  const scaleOf = database.prepare('SELECT scale FROM adapters WHERE version = ?').pluck();
  const setActive = database.prepare(
    'INSERT INTO active VALUES (?, ?, ?) ON CONFLICT (model_hash, workspace_key) DO UPDATE SET version = excluded.version',
  );
  const setMeta = database.prepare(
    'INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  );
  const getMeta = database.prepare('SELECT value FROM meta WHERE name = ?').pluck();
  const addSeconds = database.prepare(
    'UPDATE runs SET seconds = json_set(seconds, @path, @seconds) WHERE id = @runId',
  );
  const newest = database.prepare('SELECT * FROM runs WHERE model_hash = ? ORDER BY seq DESC LIMIT ?');
  const all = database.prepare('SELECT * FROM runs ORDER BY seq');
  const firstLayerInService = database
    .prepare(
      `SELECT json_extract(runs.config, '$.firstLayer') FROM active
         JOIN runs ON runs.version = active.version AND runs.model_hash = active.model_hash
         WHERE active.model_hash = ? ORDER BY runs.seq DESC LIMIT 1`,
    )
    .pluck();
  const count = database.prepare('SELECT count(*) FROM runs WHERE decision = ?').pluck();
  const runsOf = database.prepare('SELECT run_id FROM trained WHERE event_id = ? ORDER BY run_id').pluck();

  function commit(run: RunRecord, baseline: unknown): boolean {
    const { modelHash, workspaceKey, parent, candidate, decision } = run;
    const active = (activeOf.get(modelHash, workspaceKey) as number | undefined) ?? 0;
    if (decision !== 'failed' && active !== parent) return false;
    const parentScale = (scaleOf.get(parent) as number | undefined) ?? BASE_SCALE;
    if (candidate !== null && candidate.scale !== parentScale) return false;
    const at = Date.now();
    const figures = JSON.stringify(run.figures);
    insertRun.run({
      id: run.id,
      at,
      modelHash,
      workspaceKey,
      parent,
      version: candidate?.version ?? null,
      eventSet: hashText([...run.eventIds].sort().join('\n')),
      events: run.eventIds.length,
      decision,
      reason: run.reason,
      seconds: JSON.stringify(run.seconds),
      figures,
      scores: JSON.stringify(run.scores),
      config: JSON.stringify(run.config),
    });
    if (decision === 'failed' || candidate === null) return true;
    insertAdapter.run({ ...candidate, parent, modelHash, workspaceKey, status: decision, figures, at });
    for (const eventId of run.eventIds) {
      insertTrained.run({ eventId, runId: run.id });
      setState.run(decision === 'rejected' ? 'refused' : 'trained', eventId);
    }
    setMeta.run(baselineName(modelHash), JSON.stringify(baseline));
    if (decision !== 'rejected') setActive.run(modelHash, workspaceKey, candidate.version);
    return true;
  }

  return {
    commit: (run, baseline) => database.transaction(commit).immediate(run, baseline),
    addSeconds: (runId, phase, seconds) => void addSeconds.run({ runId, path: `$.${phase}`, seconds }),
    last(modelHash) {
      const row = newest.get(modelHash, 1) as RunDbRow | undefined;
      return row === undefined ? null : runOf(row);
    },
    firstLayerInService: (modelHash) => (firstLayerInService.get(modelHash) as number | undefined) ?? null,
    count: (decision) => count.get(decision) as number,
    newest: (modelHash, limit) => (newest.all(modelHash, limit) as RunDbRow[]).map(runOf),
    list: () => (all.all() as RunDbRow[]).map(runOf),
    runsOf: (eventId) => runsOf.all(eventId) as string[],
    baseline(modelHash) {
      const value = getMeta.get(baselineName(modelHash)) as string | undefined;
      return value === undefined ? null : (JSON.parse(value) as unknown);
    },
  };
}

const baselineName = (modelHash: string): string => `baseline:${modelHash}`;

interface RunDbRow {
  id: string;
  at: number;
  model_hash: string;
  workspace_key: string;
  parent: number;
  version: number | null;
  events: number;
  decision: RunDecision;
  reason: string;
  seconds: string;
  figures: string;
}

function runOf(row: RunDbRow): RunRow {
  return {
    id: row.id,
    at: row.at,
    modelHash: row.model_hash,
    workspaceKey: row.workspace_key,
    parent: row.parent,
    version: row.version,
    events: row.events,
    decision: row.decision,
    reason: row.reason,
    seconds: JSON.parse(row.seconds) as Record<string, number>,
    figures: JSON.parse(row.figures) as Record<string, number>,
  };
}
