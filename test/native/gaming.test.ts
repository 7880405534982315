import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sample, ScoreItem } from '../../extension/common/contracts/index.ts';
import { TensorType } from '../../trainer/ggml/tensor.ts';
import { defaultUpdateConfig } from '../../trainer/learning/config.ts';
import { decideGate, DEFAULT_GATE_LIMITS, type GateDecision } from '../../trainer/learning/gate.ts';
import { Scorer } from '../../trainer/learning/scorer.ts';
import { TokenCache } from '../../trainer/learning/tokenCache.ts';
import { runUpdate } from '../../trainer/learning/update.ts';
import { Network } from '../../trainer/model/network.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';
import { testDevice } from './gradientCheck.ts';

const END = 0;
const LENGTH = 6;
/** Nothing but the limits on length, silence and repetition is left of the gate. */
const GAMING_LIMITS = {
  ...DEFAULT_GATE_LIMITS,
  tolerance: 1e9,
  quantile: 1.645,
  maxGeneralLossRise: 1e9,
  maxKl: 1e9,
};

describe('policies that game, trained on the tiny model', function () {
  this.timeout(120_000);
  let folder: string;
  let network: Network;
  let cache: TokenCache;
  let scorer: Scorer;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'hone-gaming-'));
    const model = join(folder, 'model.gguf');
    writeTinyModel(model);
    network = new Network(testDevice(), model, { firstLayer: 1, forward: 'f32', transposed: TensorType.F32 });
    cache = new TokenCache(network, 1e7);
    scorer = new Scorer(network, cache, [END]);
  });
  after(() => {
    network.dispose();
    rmSync(folder, { recursive: true });
  });

  const promptOf = (place: number): number[] => [40, 41 + place, 42, 50 + place, 61];
  const heldOut: ScoreItem[] = Array.from({ length: 12 }, (_, place) => ({
    id: String(place),
    prompt: promptOf(place),
    target: [...Array.from({ length: LENGTH }, (_, t) => 80 + ((place + t) % 9)), END],
  }));

  /** Teaches a text at every place and lets the gate look at what comes of it. */
  const judge = async (name: string, textAt: (place: number) => number[]): Promise<GateDecision> => {
    const samples: Sample[] = heldOut.map(({ id }, place) => ({
      eventId: id,
      prompt: promptOf(place),
      supervised: { source: 'correction', tokens: textAt(place), weight: 1 },
    }));
    const base = { version: 0, path: null, scale: 1 };
    const reply = await runUpdate(
      {
        type: 'update',
        id: name,
        samples,
        parent: base,
        adapters: [base],
        candidatePath: join(folder, `${name}.gguf`),
        candidateVersion: 1,
        heldOut,
        general: [],
        config: {
          ...defaultUpdateConfig(3),
          servedShare: 1,
          servedShares: [],
          firstLayer: 1,
          learningRate: 0.03,
          decaySteps: 0,
          epochs: 15,
          weightType: 'f32',
        },
        seed: 1,
      },
      { network, cache, scorer, onProgress: () => {} },
    );
    return decideGate(reply.gate, GAMING_LIMITS);
  };

  it('lets one through that learned what is typed', async () => {
    const { decision, figures } = await judge('honest', (place) => heldOut[place]!.target);
    assert.notEqual(decision, 'rejected');
    assert.ok(figures['gate/length_candidate']! >= figures['gate/length_running']! - 0.1);
  });

  it('refuses one that is always silent', async () => {
    const { reason } = await judge('silent', () => [END]);
    assert.match(reason, /Silent share rose by/);
  });

  it('refuses one that ends after one token', async () => {
    const { reason, figures } = await judge('short', (place) => [heldOut[place]!.target[0]!, END]);
    assert.match(reason, /It ends earlier/);
    assert.ok(figures['gate/length_candidate']! < 0.5);
  });

  it('refuses one that repeats itself', async () => {
    const { reason, figures } = await judge('loop', (place) => [
      ...heldOut[place]!.target.slice(0, LENGTH).flatMap((token) => [token, token, token, token]),
    ]);
    assert.match(reason, /It repeats itself/);
    assert.ok(figures['gate/repetition_candidate']! > 0.3);
  });
});
