import type { TrainingStatus } from '../../extension/common/contracts/index.ts';
import type { PauseReason } from './budget.ts';
import type { Store } from '../store/store.ts';
import type { LearnerProgress, LearnerReady } from './learnerProcess.ts';
import type { QueueState } from './queue.ts';
import { STALE_COUNTER } from './update.ts';
import type { Service } from './workspaces.ts';

interface Activity {
  /** Null: no update is under way. */
  progress: LearnerProgress | 'preparing' | null;
  /** A completion is in flight. */
  paused: boolean;
  automatic: boolean;
  /** Until further notice. */
  pausedByUser: boolean;
  pausedBecause: PauseReason | null;
  trouble: string | null;
  learner: LearnerReady | null;
  service: Service;
  live: Pick<TrainingStatus, 'served' | 'rolledBack'>;
}

/** `GET /api/training/status` from the store's counts and what the coordinator is doing. */
export function statusOf(
  store: Store,
  model: { hash: string; name: string },
  queue: QueueState,
  activity: Activity,
): TrainingStatus {
  const counts = store.facts.counts();
  const last = store.runs.last(model.hash);
  return {
    v: 1,
    stored: store.events.count(),
    queued: queue.ready.length,
    open: queue.open,
    heldOut: counts.heldOut,
    trained: counts.trained,
    dropped: { ...counts.dropped, [STALE_COUNTER]: store.counter(STALE_COUNTER) },
    adapterVersion: activity.service.version,
    adapters: Object.fromEntries(
      [...activity.service.versions].map(([key, version]) => [key, { version, model: model.name }]),
    ),
    state: stateOf(queue, activity),
    pausedByUser: activity.pausedByUser,
    ...(activity.pausedBecause === null ? {} : { pausedBecause: activity.pausedBecause }),
    ...(activity.trouble === null ? {} : { error: activity.trouble }),
    ...progressOf(activity),
    lastRun: last,
    ...activity.live,
    learner: activity.learner,
  };
}

function stateOf(queue: QueueState, activity: Activity): TrainingStatus['state'] {
  const { progress } = activity;
  if (progress !== null) {
    if (activity.paused || activity.pausedBecause !== null) return 'paused';
    return progress !== 'preparing' && progress.phase === 'gate' ? 'gating' : 'training';
  }
  if (activity.trouble !== null) return 'error';
  if (!activity.automatic || activity.pausedByUser || activity.pausedBecause !== null) return 'paused';
  return queue.ready.length + queue.open > 0 ? 'waiting' : 'idle';
}

function progressOf({ progress }: Activity): Pick<TrainingStatus, 'progress'> {
  if (progress === null || progress === 'preparing') return {};
  const { phase, done, total } = progress;
  return { progress: { phase, done, total } };
}
