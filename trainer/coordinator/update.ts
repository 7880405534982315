import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type {
  LearnerRequest,
  RunSummary,
  ScoreItem,
  UpdateConfig,
} from '../../extension/common/contracts/index.ts';
import type { Board } from '../board/board.ts';
import type { Engine } from '../inference/types.ts';
import { defaultUpdateConfig } from '../learning/config.ts';
import { decideGate } from '../learning/gate.ts';
import { updateAlarms } from '../monitor/updateAlarms.ts';
import { HoneError } from '../server/shared/errors.ts';
import type { Logger } from '../server/shared/logging.ts';
import { isStorageFull } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import type { OutcomeFacts, RunRecord } from '../store/types.ts';
import { buildBatch, recentAdapters, type Batch } from './batch.ts';
import { adapterFile, removeAdapterFiles, unfinishedPlan, writePlan, type UpdatePlan } from './checkpoint.ts';
import { generalSamples } from './general.ts';
import type { LearnerProgress, LearnerUpdated } from './learnerProcess.ts';
import type { LiveFuse } from './liveFuse.ts';
import { adapterRef, serveAdapter, withdrawAdapter } from './registry.ts';
import type { TrainingSettings } from './settings.ts';
import type { LearnerSupervisor } from './supervisor.ts';
import type { TextTools } from './text.ts';
import { tidyAdapters } from './tidy.ts';
import { inService, keyOfEvent, workspaceOf } from './workspaces.ts';

export interface UpdateParts {
  store: Store;
  engine: Engine;
  learner: LearnerSupervisor;
  text: TextTools;
  /** General code that a candidate must not forget. */
  general: ScoreItem[];
  settings: TrainingSettings;
  /** The same for all updates of this companion: the learner loads the model for it. */
  config: UpdateConfig;
  board: Board;
  fuse: LiveFuse;
  logger: Logger;
  /** Raised when the companion ends: what then fails is given up, not written down as a failed run. */
  ending: AbortSignal;
}

interface Decided {
  run: RunSummary;
  /** False also when the version that it began with was taken out of service or to another scale meanwhile. */
  learnerFailed: boolean;
}

/** Counter of policy terms left out because their adapter is too old. */
export const STALE_COUNTER = 'policyTooOld';

/**
 * One update, from settled events of one adapter to the new version in service: samples, learner, gate, one
 * transaction, swap.
 *
 * @param now Milliseconds since the epoch; null when what is open was settled.
 * @returns what was decided, also when the update failed (its events stay in the queue); null when nothing in the
 *   events could be learned from.
 * @throws HoneError `storage_full` when there is no room for the adapter or the decision: nothing was decided then.
 */
export async function performUpdate(
  parts: UpdateParts,
  events: OutcomeFacts[],
  now: number | null,
  onProgress: (progress: LearnerProgress) => void,
): Promise<Decided | null> {
  const { store, engine, settings } = parts;
  const key = keyOfEvent(settings, events[0]!);
  const active = store.adapters.active(engine.model.hash, key);
  adapterRef(store, active);
  const recent = recentAdapters(store, active, settings.maxAdapterLag);
  const plan = planOf(parts);
  const heldOutIds =
    plan?.eventIds.join() === events.map((facts) => facts.eventId).join() ? new Set(plan.heldOutIds) : null;
  const context = { modelHash: engine.model.hash, ...parts };
  const batch = buildBatch(store, events, recent, context, now, heldOutIds, workspaceOf(settings, key));
  store.facts.drop(batch.useless.map((eventId) => ({ eventId, reason: 'nothingToLearn' })));
  if (batch.samples.length === 0) return null;

  const request = updateRequest(parts, key, batch);
  writePlan(store, {
    version: request.candidateVersion,
    workspaceKey: key,
    modelHash: engine.model.hash,
    parent: request.parent.version,
    scale: request.parent.scale,
    seed: request.seed,
    config: request.config,
    eventIds: batch.eventIds,
    heldOutIds: batch.heldOut.map((item) => item.id),
  });
  const outcome = await decide(parts, key, request, batch, onProgress);
  if (!writeDown(store, outcome, batch, fileOf(key, request))) {
    const reason = `Version ${active} was taken out of service, or its scale was changed, while its successor was made.`;
    store.runs.commit({ ...outcome, candidate: null, decision: 'failed', reason }, batch.baseline);
    return { run: finish(parts, outcome.id), learnerFailed: false };
  }
  if (outcome.decision !== 'failed' && batch.stale > 0)
    note(parts, outcome, () => store.count(STALE_COUNTER, batch.stale));
  if (outcome.decision === 'promoted' || outcome.decision === 'provisional') await swap(parts, outcome);
  tidy(parts);
  return { run: finish(parts, outcome.id), learnerFailed: outcome.decision === 'failed' };
}

/** Writes a decision down and deletes the files of a candidate that no row names. */
function writeDown(store: Store, run: RunRecord, batch: Batch, candidateFile: string): boolean {
  let written = false;
  try {
    written = store.runs.commit(run, batch.baseline);
    return written;
  } finally {
    if (!written || run.candidate === null) removeAdapterFiles(store, candidateFile);
  }
}

function updateRequest(
  { store, settings, config, general, text }: UpdateParts,
  key: string,
  batch: Batch,
): Extract<LearnerRequest, { type: 'update' }> {
  const id = uuidv7();
  const version = store.adapters.nextVersion();
  const again = Math.round(settings.generalShare * batch.samples.length);
  return {
    type: 'update',
    id,
    samples: [...batch.samples, ...generalSamples(text, again, version)],
    parent: batch.adapters[0]!,
    adapters: batch.adapters,
    // llama.cpp keeps an adapter by its path: no path is ever used twice.
    candidatePath: join(store.adapterDir, adapterFile(key, version, id)),
    candidateVersion: version,
    heldOut: batch.heldOut,
    general,
    config,
    seed: seedOf(settings, version),
  };
}

/** The plan of an update that was cut short and can be made again as it was; else null. */
export function planOf({ store, engine, settings, config }: UpdateParts): UpdatePlan | null {
  return unfinishedPlan(store, engine.model.hash, {
    config,
    seed: seedOf(settings, store.adapters.nextVersion()),
  });
}

function seedOf(settings: TrainingSettings, version: number): number {
  return settings.seed + version;
}

function fileOf(key: string, { candidateVersion, id }: Extract<LearnerRequest, { type: 'update' }>): string {
  return adapterFile(key, candidateVersion, id);
}

/**
 * Defaults for the model with what the settings change. An adapter that is in service goes on in its own layers: what
 * it knows is in no other.
 */
export function updateConfigOf({
  store,
  engine,
  settings,
}: Pick<UpdateParts, 'store' | 'settings'> & {
  engine: { model: Pick<Engine['model'], 'hash' | 'layers'> };
}): UpdateConfig {
  const firstLayer = store.runs.firstLayerInService(engine.model.hash);
  return {
    ...defaultUpdateConfig(engine.model.layers),
    ...(firstLayer === null ? {} : { firstLayer }),
    ...settings.update,
  };
}

async function decide(
  { store, engine, learner, settings, logger, ending }: UpdateParts,
  key: string,
  request: Extract<LearnerRequest, { type: 'update' }>,
  batch: Batch,
  onProgress: (progress: LearnerProgress) => void,
): Promise<RunRecord> {
  const record = {
    id: request.id,
    modelHash: engine.model.hash,
    workspaceKey: key,
    parent: request.parent.version,
    eventIds: batch.eventIds,
    config: request.config,
  };
  const started = performance.now();
  try {
    const { updated, gate } = await learner.update(request, onProgress, (answer) => ({
      updated: answer,
      gate: gateOf(request, answer, settings),
    }));
    if (updated.figures['train/optimizer_restarted'])
      logger.warn(
        { parent: request.parent.version },
        "The optimizer's moments saved with the parent can't be used; the update began with fresh ones.",
      );
    const figures = {
      ...batch.figures,
      'rollout/policy_too_old': batch.stale,
      ...updated.figures,
      ...gate.figures,
    };
    return {
      ...record,
      candidate: {
        version: request.candidateVersion,
        file: fileOf(key, request),
        scale: request.parent.scale,
      },
      decision: gate.decision,
      reason: gate.reason,
      seconds: { ...updated.seconds, learner: secondsSince(started) },
      figures: { ...figures, ...updateAlarms(figures).figures },
      scores: updated.gate,
    };
  } catch (error) {
    if (ending.aborted) throw error;
    if (isStorageFull(error)) {
      // No event is to blame, so this is no failed run; what was half written must not fill the disk further.
      removeAdapterFiles(store, fileOf(key, request));
      throw error;
    }
    const reason = error instanceof Error ? error.message : String(error);
    logger.error({ err: error, run: request.id }, 'The update failed; its events stay in the queue.');
    const seconds = { learner: secondsSince(started) };
    return { ...record, candidate: null, decision: 'failed', reason, seconds, figures: {}, scores: null };
  }
}

function gateOf(
  request: Extract<LearnerRequest, { type: 'update' }>,
  { gate }: LearnerUpdated,
  settings: TrainingSettings,
): ReturnType<typeof decideGate> {
  if (!existsSync(request.candidatePath))
    throw new HoneError('learner_failed', 'The learner reported an adapter but wrote no file.');
  if (
    gate.candidate.length !== request.heldOut.length ||
    gate.generalCandidate.length !== request.general.length
  )
    throw new HoneError('learner_failed', 'The learner did not score every text that the gate asks about.');
  return decideGate(gate, settings.gate);
}

async function swap(parts: UpdateParts, run: RunRecord): Promise<void> {
  const { store, engine, logger } = parts;
  const started = performance.now();
  const { version } = run.candidate!;
  try {
    await serveAdapter(engine, run.workspaceKey, adapterRef(store, version), run.parent);
  } catch (error) {
    const next = withdrawAdapter(store, engine, run.workspaceKey, run.parent, version);
    logger.error({ err: error, version, next }, 'A new adapter could not be loaded and was rolled back.');
    throw error;
  }
  const seconds = secondsSince(started);
  note(parts, run, () => store.runs.addSeconds(run.id, 'swap', seconds));
}

/** A figure beside a decision that stands: on a full disk it is missing, and the decision is followed all the same. */
function note({ logger }: UpdateParts, run: RunRecord, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    logger.warn({ err: error, run: run.id }, 'There was no room for a figure of an update.');
  }
}

function tidy({ store, engine, settings, logger }: UpdateParts): void {
  try {
    tidyAdapters(store, new Set(inService(store, engine.model.hash, settings).versions.values()));
  } catch (error) {
    // A file that is still mapped can't be deleted on Windows; the next update tries again.
    logger.warn({ err: error }, 'Old adapter files could not be deleted.');
  }
}

/** The run as it was written down, also on the board. */
function finish({ store, engine, board, fuse, logger }: UpdateParts, id: string): RunSummary {
  const run = store.runs.last(engine.model.hash);
  if (run === null || run.id !== id) throw new Error(`Run ${id} was not written down.`);
  logger.info({ run: id, decision: run.decision, version: run.version, seconds: run.seconds }, run.reason);
  board.update(run, { ...countersOf(store), ...fuse.figuresOf(run.workspaceKey) });
  for (const message of updateAlarms(run.figures).messages) {
    logger.warn({ run: id }, message);
    board.say(run.workspaceKey, `Alarm. ${message}`);
  }
  const { at: _at, modelHash: _modelHash, ...summary } = run;
  return summary;
}

/** How the store stands after an update, by tag. */
function countersOf(store: Store): Record<string, number> {
  const { heldOut, trained, dropped } = store.facts.counts();
  const reasons = Object.entries({ ...dropped, [STALE_COUNTER]: store.counter(STALE_COUNTER) });
  return {
    'status/stored': store.events.count(),
    'status/undecided': store.facts.undecidedCount(),
    'status/held_out': heldOut,
    'status/trained': trained,
    ...Object.fromEntries(reasons.map(([reason, number]) => [`status/dropped_${reason}`, number])),
  };
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}
