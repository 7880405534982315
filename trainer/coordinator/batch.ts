import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  BASE_ADAPTER,
  type AdapterRef,
  type Sample,
  type ScoreItem,
} from '../../extension/common/contracts/index.ts';
import { REWARD_RULE_VERSION } from '../../extension/common/reward/reward.ts';
import { baselinesOf, meanOfRewards, type RunningMean } from '../learning/baseline.ts';
import type { Store } from '../store/store.ts';
import type { OutcomeFacts } from '../store/types.ts';
import { eligibilityOf, usesOf } from './eligibility.ts';
import { rewardInEpisode } from './episodes.ts';
import { buildSample, buildScoreItem, type SampleContext } from './samples.ts';

/** Held-out events looked at for each one that the gate scores: of many nothing is known that could be scored. */
const LOOKED_AT_PER_GATE_ITEM = 8;

/** Events that the baseline is taken from when the rule of rewards has changed; it forgets half in 35. */
const RELABELLED_EVENTS = 256;

/** What one update is made of. */
export interface Batch {
  samples: Sample[];
  eventIds: string[];
  /** Events from which, looked at closely, nothing can be learned. */
  useless: string[];
  heldOut: ScoreItem[];
  /** Adapters that served the samples' completions, the parent included. */
  adapters: AdapterRef[];
  baseline: RunningMean;
  /** Policy terms left out because their version is too old. */
  stale: number;
  figures: Record<string, number>;
}

/** The adapter in service and the promoted ones before it, newest first, that can be loaded. */
export function recentAdapters(store: Store, active: number, maxLag: number): AdapterRef[] {
  const recent: AdapterRef[] = [];
  let version = active;
  while (recent.length <= maxLag) {
    const row = version === 0 ? null : store.adapters.get(version);
    if (row === null) {
      recent.push(BASE_ADAPTER);
      break;
    }
    const path = join(store.adapterDir, row.file);
    if (!row.collected && existsSync(path)) recent.push({ version, path, scale: row.scale });
    version = row.parent;
  }
  return recent;
}

/**
 * Builds the samples of settled events and the texts that the gate scores.
 *
 * @param heldOutIds the events that the gate is to score; null: the newest
 * @param workspaceKey whose events the gate scores; absent: those of all workspaces
 */
export function buildBatch(
  store: Store,
  events: OutcomeFacts[],
  recent: AdapterRef[],
  context: Omit<SampleContext, 'recentVersions'>,
  now: number | null,
  heldOutIds: ReadonlySet<string> | null,
  workspaceKey?: string,
): Batch {
  const full = { ...context, recentVersions: new Set(recent.map((adapter) => adapter.version)) };
  const useless: string[] = [];
  const built = events.flatMap((facts) => {
    const training = store.facts.training(facts);
    const one = training === null ? null : buildSample(training, full);
    if (one === null) useless.push(facts.eventId);
    else if (one.reward !== null)
      one.reward = rewardInEpisode(store, training!, one.reward, context.settings);
    return one === null ? [] : [one];
  });
  const rewarded = built.filter((one) => one.sample.policy !== undefined);
  const state = baselineOf(store, context);
  const judged = rewarded.map((one) => ({ reward: one.reward!, before: one.before }));
  const { baselines, next } = baselinesOf(judged, state, context.settings);
  rewarded.forEach((one, index) => (one.sample.policy!.advantage = one.reward! - baselines[index]!));
  const samples = built.map((one) => one.sample);
  const served = new Set(samples.map((sample) => sample.policy?.adapterVersion));
  return {
    samples,
    eventIds: samples.map((sample) => sample.eventId),
    useless,
    heldOut: heldOutItems(store, full, now, heldOutIds, workspaceKey),
    adapters: recent.filter((adapter, index) => index === 0 || served.has(adapter.version)),
    baseline: next,
    stale: built.filter((one) => one.stale).length,
    figures: {
      ...batchFigures(
        events,
        samples,
        rewarded.map((one) => one.reward!),
        baselines,
      ),
      'rollout/version_lag': meanLag(samples, recent),
      'rollout/reward_rule': REWARD_RULE_VERSION,
      'rollout/accept_threshold': context.settings.acceptThreshold,
      'rollout/episode_weight': context.settings.episodeWeight,
    },
  };
}

/** The baseline as stored, or of the events trained on last when their rewards were of another rule. */
function baselineOf(
  store: Store,
  { modelHash, settings }: Pick<SampleContext, 'modelHash' | 'settings'>,
): RunningMean {
  const { acceptThreshold, observedWeight, episodeWeight, episodeDiscount } = settings;
  const own = `${REWARD_RULE_VERSION} ${acceptThreshold} ${observedWeight}`;
  const rule = episodeWeight === 0 ? own : `${own} ${episodeWeight} ${episodeDiscount}`;
  const stored = store.runs.baseline(modelHash) as RunningMean | null;
  if (stored?.rule === rule) return stored;
  const rewards = store.facts
    .decided(RELABELLED_EVENTS)
    .map((facts) => usesOf(facts, modelHash, settings).policy?.reward)
    .filter((reward) => reward !== undefined);
  return meanOfRewards(rewards, rule);
}

/** The newest held-out events of which it is known what was typed. */
function heldOutItems(
  store: Store,
  context: SampleContext,
  now: number | null,
  ids: ReadonlySet<string> | null,
  workspaceKey: string | undefined,
): ScoreItem[] {
  const { settings, modelHash } = context;
  const items: ScoreItem[] = [];
  for (const facts of store.facts.heldOut(LOOKED_AT_PER_GATE_ITEM * settings.maxGateItems, workspaceKey)) {
    if (items.length === settings.maxGateItems) break;
    if (ids?.has(facts.eventId) === false) continue;
    if (eligibilityOf(facts, modelHash, settings, now).state !== 'ready') continue;
    const training = store.facts.training(facts);
    const item = training === null ? null : buildScoreItem(training, context);
    if (item !== null) items.push(item);
  }
  return items;
}

/** Served versions between the one that served a policy sample and the one in service, on average. */
function meanLag(samples: Sample[], recent: AdapterRef[]): number {
  const lags = samples
    .filter((sample) => sample.policy !== undefined)
    .map((sample) => recent.findIndex((one) => one.version === sample.policy!.adapterVersion));
  return lags.length === 0 ? 0 : lags.reduce((sum, lag) => sum + lag, 0) / lags.length;
}

function batchFigures(
  events: OutcomeFacts[],
  samples: Sample[],
  rewards: number[],
  baselines: number[],
): Record<string, number> {
  const mean = (values: number[]): number =>
    values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
  // Of places in files, and of what a filter hid, nothing was shown.
  const shown = events.filter(({ outcome, shownText }) => shownText !== '' && outcome.kind !== 'suppressed');
  const is = (kind: string) => (facts: OutcomeFacts) => (facts.outcome.kind === kind ? 1 : 0);
  return {
    'rollout/reward_mean': mean(rewards),
    'rollout/baseline': mean(baselines),
    'rollout/advantage_square': mean(rewards.map((reward, index) => (reward - baselines[index]!) ** 2)),
    ...(shown.length === 0 ? {} : { 'rollout/accept_rate': mean(shown.map(is('accepted'))) }),
    'rollout/silent_share': mean(events.map(is('silent'))),
    'rollout/suppressed_share': mean(events.map(is('suppressed'))),
    'rollout/completion_length_mean': mean(shown.map((facts) => facts.shownText.length)),
    'rollout/policy_samples': rewards.length,
    'rollout/correction_samples': samples.filter((s) => s.supervised?.source === 'correction').length,
    'rollout/accepted_samples': samples.filter((s) => s.supervised?.source === 'accepted').length,
    'rollout/context_samples': samples.filter((s) => s.context !== undefined).length,
  };
}
