import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REWARD_RULE_VERSION } from '../../../extension/common/reward/reward.ts';
import { buildBatch } from '../../../trainer/coordinator/batch.ts';
import { trainingSettingsSchema } from '../../../trainer/coordinator/settings.ts';
import type { TextTools } from '../../../trainer/coordinator/text.ts';
import { meanOfRewards } from '../../../trainer/learning/baseline.ts';
import { defaultUpdateConfig } from '../../../trainer/learning/config.ts';
import { openStore, type Store } from '../../../trainer/store/store.ts';
import {
  completionRecord,
  correctionEvent,
  MODEL_HASH,
  outcomeEvent,
  place,
  retentionEvent,
} from '../../fixtures/records.ts';

const characters = (value: string): number[] => [...value].map((one) => one.charCodeAt(0));
const text: TextTools = {
  tokenize: characters,
  detokenize: (tokens) => String.fromCharCode(...tokens),
  promptTokens: characters,
  documentTokens: ({ prefix }) => characters(prefix),
  endOfText: 0,
};
const BASE = { version: 0, path: null, scale: 1 };

describe("the gate's texts", () => {
  let dataDir: string;
  let store: Store;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'hone-batch-'));
    store = openStore(dataDir);
  });
  afterEach(() => {
    store.close();
    rmSync(dataDir, { recursive: true });
  });

  function holdOut(index: number, typed: string | null, workspaceKey = 'default'): void {
    const record = completionRecord({ ...place(index, true), workspaceKey });
    store.recordCompletion(record);
    const rejected = outcomeEvent(record, { kind: 'rejected', how: 'escape' });
    store.events.submit([rejected, correctionEvent(record.id, typed)], Date.now());
  }
  const targets = (maxGateItems: number): string[] => {
    const settings = trainingSettingsSchema.parse({ maxGateItems });
    const batch = buildBatch(store, [], [BASE], { modelHash: MODEL_HASH, text, settings }, Date.now(), null);
    return batch.heldOut.map((item) => text.detokenize(item.target));
  };

  it('are the newest of which it is known what was typed', () => {
    for (let index = 0; index < 4; index++) holdOut(index, `typed ${index}`);
    for (let index = 4; index < 9; index++) holdOut(index, index % 2 === 0 ? null : '');
    assert.deepEqual(targets(3), ['typed 3', 'typed 2', 'typed 1']);
    assert.equal(targets(64).length, 4);
  });

  it('are those of every workspace', () => {
    holdOut(0, 'typed here', 'c0ffee');
    holdOut(1, 'typed there');
    assert.deepEqual(targets(64), ['typed there', 'typed here']);
  });
});

describe('the rewards of a batch', () => {
  let dataDir: string;
  let store: Store;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'hone-batch-'));
    store = openStore(dataDir);
    store.adapters.registerModel({ hash: MODEL_HASH, name: 'small', path: 'small.gguf' });
  });
  afterEach(() => {
    store.close();
    rmSync(dataDir, { recursive: true });
  });

  const batchUnder = (acceptThreshold: number) => {
    const settings = trainingSettingsSchema.parse({ acceptThreshold });
    const events = store.facts.undecided();
    return buildBatch(store, events, [BASE], { modelHash: MODEL_HASH, text, settings }, null, null);
  };
  /** An acceptance and a rejection at a place each. */
  function judge(index: number): string[] {
    return [{ kind: 'accepted' } as const, { kind: 'rejected', how: 'escape' } as const].map((outcome, i) => {
      const record = completionRecord(place(2 * index + i, false));
      store.recordCompletion(record);
      const event = outcomeEvent(record, outcome);
      store.events.submit([event], Date.now());
      return event.id;
    });
  }
  const rewards = (batch: ReturnType<typeof batchUnder>): number[] => {
    const baseline = batch.figures['rollout/baseline']!;
    return batch.samples.map((sample) => Number((sample.policy!.advantage + baseline).toFixed(9)));
  };

  it('are computed from the stored facts under the rule in force, which is recorded', () => {
    const [acceptedId] = judge(0);
    const batch = batchUnder(0.25);
    assert.deepEqual(rewards(batch), [0.75, -0.25]);
    assert.equal(batch.figures['rollout/reward_rule'], REWARD_RULE_VERSION);
    assert.equal(batch.figures['rollout/accept_threshold'], 0.25);
    assert.equal(batch.figures['rollout/accept_rate'], 0.5);
    assert.deepEqual(rewards(batchUnder(0.6)), [0.4, -0.6]);
    const accepted = store.events.completionOf(acceptedId!)!;
    store.events.submit([retentionEvent(accepted, 120, 1)], Date.now());
    assert.deepEqual(rewards(batchUnder(0.25)), [0.75, -0.25]);
    store.events.submit([retentionEvent(accepted, 600, 0.2)], Date.now());
    assert.deepEqual(rewards(batchUnder(0.25)), [-0.25, -0.25], 'reverted after ten minutes');
  });

  it('have a baseline of the same rule: a changed p* labels anew what was trained on', () => {
    const eventIds = judge(0);
    const { baseline } = batchUnder(0.25);
    const parent = { id: 'run', modelHash: MODEL_HASH, workspaceKey: 'default', parent: 0 };
    const candidate = { version: 1, file: 'a.gguf', scale: 1 };
    const decided = { decision: 'promoted' as const, reason: '', seconds: {}, figures: {}, scores: null };
    const config = defaultUpdateConfig(3);
    store.runs.commit({ ...parent, candidate, eventIds, ...decided, config }, baseline);
    judge(1);
    assert.ok(Math.abs(batchUnder(0.25).figures['rollout/baseline']! - baseline.mean) < 1e-12);
    const anew = meanOfRewards([0.4, -0.6], '').mean;
    assert.ok(Math.abs(batchUnder(0.6).figures['rollout/baseline']! - anew) < 1e-12);
    assert.notEqual(anew, baseline.mean);
  });
});
