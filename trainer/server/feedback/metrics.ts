import type { RunDecision } from '../../../extension/common/contracts/index.ts';
import { Metrics } from '../shared/metrics.ts';
import type { FeedbackParts } from './service.ts';

const DECISIONS: RunDecision[] = ['promoted', 'provisional', 'rejected', 'failed'];

/** Figures of the newest outcomes, by tag. */
const SERVED: Record<string, [name: string, help: string]> = {
  'served/accept_rate': ['hone_served_accept_rate', 'Share of judged suggestions that were worth showing.'],
  'served/retained_chars': ['hone_served_retained_chars', 'Characters that stayed, by request.'],
  'served/shown_chars': ['hone_served_shown_chars', 'Mean length of shown suggestions.'],
  'served/silent_share': ['hone_served_silent_share', 'Share of requests that the model left empty.'],
  'served/suppressed_share': ['hone_served_suppressed_share', 'Share of requests whose text a filter hid.'],
  'served/unlikely_share': [
    'hone_served_unlikely_share',
    'Share of requests whose text the display filter hid.',
  ],
  'served/one_character_share': [
    'hone_served_one_character_share',
    'Share of shown suggestions of one character.',
  ],
  'served/repeats_suffix_share': [
    'hone_served_repeats_suffix_share',
    'Share of texts that stood there already.',
  ],
  'served/repetition_share': ['hone_served_repetition_share', 'Share of texts that repeat themselves.'],
};

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
  for (const [tag, [name, help]] of Object.entries(SERVED))
    metrics.gauge(name, help, () => coordinator.status().served?.figures[tag] ?? 0);
  metrics.gauge(
    'hone_engine_logprob_diff',
    "Nats a token by which serving and training differed on the last update's samples.",
    () => coordinator.status().lastRun?.figures['rollout/engine_logprob_diff'] ?? 0,
  );
  metrics.gauge(
    'hone_alarms',
    'Things that are wrong with what is served.',
    () => coordinator.status().served?.alarms.length ?? 0,
  );
  metrics.gauge('hone_learner_running', '1 while a learner process runs.', () =>
    coordinator.learnerPid === null ? 0 : 1,
  );
  return metrics;
}
