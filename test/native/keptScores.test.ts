import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScoreItem } from '../../extension/common/contracts/index.ts';
import { TensorType } from '../../trainer/ggml/tensor.ts';
import { KeptScores } from '../../trainer/learning/keptScores.ts';
import { Scorer } from '../../trainer/learning/scorer.ts';
import { TokenCache } from '../../trainer/learning/tokenCache.ts';
import { DeviceLora, initialLora, loraLayout } from '../../trainer/model/lora.ts';
import { Network } from '../../trainer/model/network.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';
import { noise, testDevice } from './gradientCheck.ts';

const END = 0;
const ITEMS: ScoreItem[] = [
  { id: 'ended', prompt: [40, 41, 42, 50], target: [70, 71, END] },
  { id: 'open', prompt: [40, 41, 42, 51, 52], target: [80, 81] },
];
const LAYERS = { rank: 4, alpha: 8, firstLayer: 1, targets: ['q' as const, 'down' as const] };

describe("the base model's results for the gate", () => {
  let folder: string;
  let network: Network;
  let path: string;
  let files = 0;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'hone-kept-'));
    const model = join(folder, 'model.gguf');
    writeTinyModel(model);
    network = new Network(testDevice(), model, { firstLayer: 1, forward: 'f32', transposed: TensorType.F32 });
  });
  after(() => {
    network.dispose();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => (path = join(folder, `${++files}`, 'kept.gguf')));

  const open = (identity = 'device'): KeptScores => new KeptScores(network.device.ggml, path, identity);
  const scorer = (kept: KeptScores | null): Scorer =>
    new Scorer(network, new TokenCache(network, 1e7), [END], kept);

  it('are the same from the file, under the base and under an adapter', async () => {
    const layout = loraLayout(network.architecture, LAYERS);
    const values = noise(layout.parameters, 3).map((x) => x * 0.2);
    assert.equal(values.length, initialLora(layout, 1).values.length);
    const lora = new DeviceLora(network.device, { layout, values }, { scale: 1, trainable: false });
    const adapter = { lora, path: 'some adapter' };
    const fresh = scorer(null);
    const first = scorer(open());
    await first.keep(ITEMS);
    const later = scorer(open());
    assert.deepEqual(await later.score(ITEMS, null), await fresh.score(ITEMS, null));
    assert.deepEqual(await later.score(ITEMS, adapter), await fresh.score(ITEMS, adapter));
    lora.dispose();
  });

  it('are read from the file, not computed again', async () => {
    await scorer(open()).keep(ITEMS);
    const kept = ITEMS.map((item) => ({ item, kept: open().get(item)! }));
    for (const entry of kept) entry.kept.score.logprob = -4711;
    open().write(kept);
    const scores = await scorer(open()).score(ITEMS, null);
    assert.deepEqual(
      scores.map(({ id, logprob }) => [id, logprob]),
      [
        ['ended', -4711],
        ['open', -4711],
      ],
    );
  });

  it('count as none for another model, device or range of layers, and in a damaged file', async () => {
    await scorer(open()).keep(ITEMS);
    assert.ok(open().get(ITEMS[0]!) !== null);
    assert.equal(open('another device').get(ITEMS[0]!), null);
    assert.equal(open().get({ ...ITEMS[0]!, target: [70, 72, END] }), null);
    truncateSync(path, 200);
    assert.equal(open().get(ITEMS[0]!), null);
    await scorer(open()).keep(ITEMS);
    assert.ok(open().get(ITEMS[0]!) !== null);
  });
});
