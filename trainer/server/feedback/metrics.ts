import type { RunDecision } from '../../../extension/common/contracts/index.ts';
import { Metrics } from '../shared/metrics.ts';
import type { FeedbackParts } from './service.ts';

const DECISIONS: RunDecision[] = ['promoted', 'provisional', 'rejected', 'failed'];

/** How learning stands, for `/metrics`; every number is read from the store when it is asked for. */
export function feedbackMetrics({ store, coordinator, engine }: FeedbackParts): Metrics {
  const metrics = new Metrics();
  metrics.gauge('hone_events_stored', 'Durable events.', () => store.events.count());
  metrics.gauge('hone_events_queued', 'Eligible events, not yet trained.', () => coordinator.status().queued);
  metrics.gauge(
    'hone_events_open',
    'Events that wait for a later fact.',
    () => coordinator.status().open ?? 0,
  );
  metrics.gauge('hone_events_held_out', 'Events kept out of training.', () => store.facts.counts().heldOut);
  metrics.gauge('hone_events_trained', 'Events trained on.', () => store.facts.counts().trained);
  metrics.gauge('hone_events_dropped', 'Events that nothing was learned from.', () =>
    Object.values(store.facts.counts().dropped).reduce((sum, number) => sum + number, 0),
  );
  for (const decision of DECISIONS)
    metrics.gauge(`hone_updates_${decision}`, `Updates that were ${decision}.`, () =>
      store.runs.count(decision),
    );
  metrics.gauge('hone_adapter_version', 'Adapter version in service.', () => engine.adapter.version);
  metrics.gauge('hone_learner_running', '1 while a learner process runs.', () =>
    coordinator.learnerPid === null ? 0 : 1,
  );
  return metrics;
}
