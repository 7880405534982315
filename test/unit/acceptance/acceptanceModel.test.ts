import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from '../../../extension/common/contracts/index.ts';
import { DISPLAY_SHARE } from '../../../extension/common/display/decision.ts';
import { BEFORE_PRIORS } from '../../../extension/common/display/priors.ts';
import { AcceptanceModel, type PredictionAsk } from '../../../trainer/acceptance/acceptanceModel.ts';
import { openStore, type Store } from '../../../trainer/store/store.ts';
import { completionRecord, MODEL_HASH, outcomeEvent, place, retentionEvent } from '../../fixtures/records.ts';
import { quiet } from '../../fixtures/tinyEngine.ts';

const ASK: PredictionAsk = {
  promptText: 'const a = ',
  language: 'typescript',
  workspaceKey: 'default',
  askedAt: undefined,
  text: 'one;',
  logprobs: [-0.4, -0.5, -0.6],
  finished: true,
};
const REJECTED: Outcome = { kind: 'rejected', how: 'escape' };

describe('predictions from the store', () => {
  let dataDir: string;
  let store: Store;
  let served: number;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'hone-acceptance-'));
    store = openStore(dataDir);
    served = 0;
  });
  afterEach(() => {
    store.close();
    rmSync(dataDir, { recursive: true });
  });

  const model = (acceptThreshold = 0.25): AcceptanceModel =>
    new AcceptanceModel({
      store,
      modelHash: MODEL_HASH,
      rules: { acceptThreshold, observedWeight: 0.5 },
      logger: quiet,
    });
  /** One request that is predicted, recorded and judged; its completion id. */
  function judge(by: AcceptanceModel, outcome: Outcome, ask: Partial<PredictionAsk> = {}, at = 1): string {
    const prediction = by.predict({ ...ASK, ...ask });
    const { workspaceKey } = { ...ASK, ...ask };
    const record = completionRecord({ ...place(served++, false), prediction, workspaceKey });
    store.recordCompletion(record);
    store.events.submit([outcomeEvent(record, outcome, { at })], Date.now());
    return record.id;
  }
  const feature = (x: number[], name: keyof typeof BEFORE_PRIORS): number =>
    x[Object.keys(BEFORE_PRIORS).indexOf(name)]!;

  it('start from the prior and become personal with every outcome', () => {
    const predictor = model();
    const first = predictor.predict(ASK);
    for (let i = 0; i < 12; i++) judge(predictor, REJECTED);
    const fewer = predictor.predict(ASK);
    assert.ok(fewer.before < first.before - 0.1 && fewer.after! < first.after! - 0.1);
    for (let i = 0; i < 40; i++) judge(predictor, { kind: 'accepted' });
    assert.ok(predictor.predict(ASK).after! > first.after!);
  });

  it('are the same whoever reads the store, and forget what is deleted', () => {
    const predictor = model();
    const first = predictor.predict(ASK);
    for (let i = 0; i < 10; i++) judge(predictor, i % 3 === 0 ? { kind: 'accepted' } : REJECTED);
    assert.deepEqual(model().predict(ASK), predictor.predict(ASK));
    store.erasure.rows({ kind: 'all' }, Date.now());
    predictor.forget();
    assert.deepEqual(predictor.predict(ASK), first);
  });

  it('label an outcome anew when a later fact tells that it was reverted', () => {
    const predictor = model();
    const ids = Array.from({ length: 10 }, () => judge(predictor, { kind: 'accepted' }));
    const kept = predictor.predict(ASK).after!;
    store.events.submit(
      ids.map((id) => retentionEvent(id, 600, 0)),
      Date.now(),
    );
    assert.ok(predictor.predict(ASK).after! < kept - 0.2);
  });

  it('take their features from what became of the suggestions before', () => {
    const predictor = model();
    judge(predictor, { kind: 'accepted' }, {}, 100_000);
    judge(predictor, { kind: 'accepted' }, {}, 200_000);
    judge(predictor, REJECTED, { workspaceKey: 'other' }, 300_000);
    const { x } = predictor.predict({ ...ASK, askedAt: 409_000 });
    const near = (actual: number, expected: number): void => assert.ok(Math.abs(actual - expected) < 1e-9);
    near(feature(x, 'pause'), 1);
    near(feature(x, 'previous'), -0.3);
    near(feature(x, 'recent'), (2 + 5 * 0.3) / 8 - 0.3);
    near(feature(x, 'recentWorkspace'), (2 + 5 * 0.3) / 7 - 0.3);
    assert.equal(feature(predictor.predict(ASK).x, 'pause'), 0);
  });

  it('know nothing of other models, and predict nothing after generating where nothing was written', () => {
    const predictor = model();
    const first = predictor.predict(ASK);
    const record = completionRecord({ prediction: first, modelHash: 'b'.repeat(64) });
    store.recordCompletion(record);
    store.events.submit([outcomeEvent(record, REJECTED)], 1);
    assert.deepEqual(predictor.predict(ASK), first);
    const silent = predictor.predict({ ...ASK, text: ' ' });
    assert.equal(silent.after, undefined);
    assert.equal(silent.x.length, Object.keys(BEFORE_PRIORS).length);
    assert.equal(silent.before, first.before);
  });

  it('count a hidden suggestion as nothing, and one that was explored as what became of it', () => {
    const predictor = model();
    const first = predictor.predict(ASK);
    for (let i = 0; i < 5; i++) judge(predictor, { kind: 'suppressed', by: 'unlikely' });
    assert.deepEqual(predictor.predict(ASK), first);
    judge(predictor, REJECTED);
    assert.ok(predictor.predict(ASK).after! < first.after!);
  });

  it('are held against a part of p*', () => {
    assert.equal(model(0.25).threshold, 0.25 * DISPLAY_SHARE);
    assert.equal(model(0.6).threshold, 0.6 * DISPLAY_SHARE);
  });
});
