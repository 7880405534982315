import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sample, UpdateConfig } from '../../extension/common/contracts/index.ts';
import { TensorType } from '../../trainer/ggml/tensor.ts';
import { derivativesOf, headsOf, layoutOf, termTokens, zeroSums } from '../../trainer/learning/batch.ts';
import { defaultUpdateConfig } from '../../trainer/learning/config.ts';
import { policyLoss } from '../../trainer/learning/objective.ts';
import { Scorer } from '../../trainer/learning/scorer.ts';
import { TokenCache } from '../../trainer/learning/tokenCache.ts';
import { runUpdate, type UpdateReply, type UpdateRequest } from '../../trainer/learning/update.ts';
import { DeviceLora, initialLora, loraLayout, readLora, type Lora } from '../../trainer/model/lora.ts';
import { Network } from '../../trainer/model/network.ts';
import { tokenTree } from '../../trainer/model/sequence.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';
import { noise, testDevice } from './gradientCheck.ts';
import { llamaReference } from './llamaReference.ts';

const END = 0;
const PROMPT = [40, 41, 42, 50, 61, 33];
const GENERATED = [70, 71, 72, END];
const TYPED = [80, 81, END];
const TEMPERATURE = 0.7;
const SHARES = [0, 0.25, 0.5, 0.75, 1];

const only = (weights: Partial<UpdateConfig>): UpdateConfig => ({
  ...defaultUpdateConfig(3),
  rank: 4,
  servedShare: 1,
  servedShares: [],
  firstLayer: 1,
  learningRate: 0.01,
  decaySteps: 0,
  epochs: 2,
  miniBatch: 2,
  correctionWeight: 0,
  acceptedWeight: 0,
  contextWeight: 0,
  policyWeight: 0,
  klWeight: 0,
  weightType: 'f32',
  ...weights,
});

const policySample = (advantage: number): Sample => ({
  eventId: `policy ${advantage}`,
  prompt: PROMPT,
  policy: {
    tokens: GENERATED,
    rewarded: 4,
    advantage,
    weight: 1,
    temperature: TEMPERATURE,
    adapterVersion: 0,
    adapterScale: 1,
  },
});
const supervisedSample = (source: 'correction' | 'accepted'): Sample => ({
  eventId: source,
  prompt: PROMPT,
  supervised: { source, tokens: TYPED, weight: 1 },
});

describe('the update', () => {
  let folder: string;
  let model: string;
  let network: Network;
  let cache: TokenCache;
  let scorer: Scorer;
  let files = 0;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'hone-update-'));
    model = join(folder, 'model.gguf');
    writeTinyModel(model);
    network = new Network(testDevice(), model, { firstLayer: 1, forward: 'f32', transposed: TensorType.F32 });
    cache = new TokenCache(network, 1e7);
    scorer = new Scorer(network, cache, [END]);
  });
  after(() => {
    network.dispose();
    rmSync(folder, { recursive: true });
  });

  const update = async (
    samples: Sample[],
    config: UpdateConfig,
    rest: Partial<UpdateRequest> = {},
  ): Promise<{ reply: UpdateReply; path: string; lora: Lora }> => {
    const path = join(folder, `candidate-${++files}.gguf`);
    const base = { version: 0, path: null, scale: 1 };
    const request: UpdateRequest = {
      type: 'update',
      id: 'test',
      samples,
      parent: base,
      adapters: [base],
      candidatePath: path,
      candidateVersion: 1,
      heldOut: [],
      general: [],
      config,
      seed: 1,
      ...rest,
    };
    const reply = await runUpdate(request, { network, cache, scorer, onProgress: () => {} });
    return { reply, path, lora: readLora(network.device.ggml, path, network.architecture) };
  };
  const logprobOf = async (target: number[], lora: Lora | null): Promise<number> => {
    const device = lora && new DeviceLora(network.device, lora, { scale: 1, trainable: false });
    const [score] = await scorer.score(
      [{ id: target.join(), prompt: PROMPT, target }],
      device && { lora: device, path: `probe ${++files}` },
    );
    device?.dispose();
    return score!.logprob;
  };

  it('takes the behaviour at the scale that served, whatever the scale is by now', async () => {
    const [token] = GENERATED;
    const taught = only({ correctionWeight: 1, learningRate: 0.05 });
    const { path, lora } = await update([supervisedSample('correction')], taught);
    const half = new DeviceLora(network.device, lora, { scale: 0.5, trainable: false });
    const [score] = await scorer.score([{ id: 'half', prompt: PROMPT, target: [token!] }], {
      lora: half,
      path: 'half',
    });
    half.dispose();
    const now = { version: 1, path, scale: 1 };
    const difference = async (adapterScale: number): Promise<number> => {
      const sample = policySample(0.5);
      Object.assign(sample.policy!, { tokens: [token], rewarded: 1, temperature: 1, adapterVersion: 1 });
      Object.assign(sample.policy!, { adapterScale, engineLogprobs: [score!.logprob] });
      const rest = { adapters: [now], parent: now, candidateVersion: 2 };
      const { reply } = await update([sample], only({ policyWeight: 1, learningRate: 0 }), rest);
      return reply.figures['rollout/engine_logprob_diff']!;
    };
    assert.ok((await difference(0.5)) < 1e-5);
    assert.ok((await difference(1)) > 1e-2);
    assert.ok((await difference(0)) > 1e-2);
  });

  it('changes nothing at learning rate 0', async () => {
    const config = only({ correctionWeight: 1, learningRate: 0 });
    const { lora } = await update([supervisedSample('correction')], config);
    assert.deepEqual(lora.values, initialLora(lora.layout, 1).values);
  });

  it('takes a group of completions of one prompt as it takes them one by one', async () => {
    const [praised, blamed] = [policySample(0.5), policySample(-0.2)];
    const other = { ...blamed.policy!, tokens: [73, 74], rewarded: 2, temperature: 1.3, weight: 2 };
    const config = only({ policyWeight: 1, klWeight: 0.5, epsilon: 1, epochs: 3, miniBatch: 4 });
    const single = [praised, { ...blamed, policy: other }, policySample(0.5)];
    const group: Sample = {
      eventId: 'group',
      prompt: PROMPT,
      group: single.map((sample) => ({
        ...sample.policy!,
        engineLogprobs: sample.policy!.tokens.map(() => 0),
      })),
    };
    const [apart, together] = [await update(single, config), await update([group], config)];
    const moved = together.lora.values.map(
      (value, i) => value - initialLora(together.lora.layout, 1).values[i]!,
    );
    const largest = Math.max(...moved.map(Math.abs));
    const difference = Math.max(...together.lora.values.map((x, i) => Math.abs(x - apart.lora.values[i]!)));
    assert.ok(difference < 1e-3 * largest, `${difference} of ${largest}`);
    for (const name of ['losses/policy_loss', 'losses/kl_to_base', 'losses/approx_kl', 'losses/entropy'])
      assert.ok(Math.abs(together.reply.figures[name]! - apart.reply.figures[name]!) < 1e-5, name);
    assert.ok(together.reply.figures['rollout/engine_logprob_diff']! > 0);
  });

  it('gives the same adapter bit for bit from the same seed, another from another', async () => {
    const samples = [policySample(0.5), supervisedSample('correction'), policySample(-0.2)];
    const config = only({ correctionWeight: 1, policyWeight: 0.5, klWeight: 0.1 });
    const first = await update(samples, config);
    const second = await update(samples, config);
    const third = await update(samples, config, { seed: 2 });
    assert.deepEqual(first.lora.values, second.lora.values);
    assert.notDeepEqual(first.lora.values, third.lora.values);
  });

  for (const source of ['correction', 'accepted'] as const) {
    it(`makes ${source} text likelier, alone`, async () => {
      const config = only(source === 'correction' ? { correctionWeight: 1 } : { acceptedWeight: 1 });
      const { lora, reply } = await update([supervisedSample(source)], config);
      assert.ok((await logprobOf(TYPED, lora)) > (await logprobOf(TYPED, null)) + 0.1);
      assert.deepEqual(
        Object.keys(reply.figures).filter(
          (name) => name.startsWith('losses/') && name !== 'losses/grad_norm',
        ),
        [`losses/${source}_loss`],
      );
    });
  }

  it('makes freshly typed prompt text likelier, alone', async () => {
    const sample: Sample = {
      eventId: 'context',
      prompt: [...PROMPT, ...TYPED],
      context: { spans: [[PROMPT.length, PROMPT.length + TYPED.length]], weight: 1 },
    };
    const { lora } = await update([sample], only({ contextWeight: 1 }));
    assert.ok((await logprobOf(TYPED, lora)) > (await logprobOf(TYPED, null)) + 0.1);
  });

  it('moves sampled text by the sign of its advantage, PPO alone', async () => {
    const base = await logprobOf(GENERATED, null);
    const praised = await update([policySample(0.75)], only({ policyWeight: 1 }));
    const blamed = await update([policySample(-0.25)], only({ policyWeight: 1 }));
    assert.ok((await logprobOf(GENERATED, praised.lora)) > base + 0.05);
    assert.ok((await logprobOf(GENERATED, blamed.lora)) < base - 0.05);
  });

  it('stops pushing where the ratio is clipped', async () => {
    const far = only({ policyWeight: 1, epochs: 40, targetKl: 1e9, learningRate: 0.001 });
    const { reply, lora } = await update([policySample(0.75)], far);
    const drift = (await logprobOf(GENERATED, lora)) - (await logprobOf(GENERATED, null));
    const unclipped = await update([policySample(0.75)], { ...far, clipHigh: 1e9 });
    const freeDrift = (await logprobOf(GENERATED, unclipped.lora)) - (await logprobOf(GENERATED, null));
    assert.ok(reply.figures['losses/clipfrac']! > 0.5, `clipped ${reply.figures['losses/clipfrac']}`);
    assert.ok(drift < 0.6 * freeDrift, `clipped drift ${drift}, free ${freeDrift}`);
  });

  it('stops an epoch early when the policy has moved too far', async () => {
    const { reply } = await update(
      [policySample(0.75)],
      only({ policyWeight: 1, epochs: 40, targetKl: 1e-4 }),
    );
    assert.ok(reply.figures['train/epochs']! < 40);
  });

  it('stays nearer to the base with a KL term', async () => {
    const samples = [policySample(0.75)];
    const free = await update(
      samples,
      only({ policyWeight: 1, epochs: 20, targetKl: 1e9, clipHigh: 2, learningRate: 0.002 }),
    );
    const held = await update(
      samples,
      only({ policyWeight: 1, klWeight: 5, epochs: 20, targetKl: 1e9, clipHigh: 2, learningRate: 0.002 }),
    );
    assert.ok(held.reply.figures['losses/kl_to_base']! < 0.5 * free.reply.figures['losses/kl_to_base']!);
  });

  for (const policyObjective of ['ppo', 'tapered'] as const) {
    it(`has the gradient of ${policyObjective}: against a naive loop over tokens and central differences`, async () => {
      const config = only({ policyWeight: 0.8, policyObjective });
      const sample = policySample(-0.25);
      const layout = layoutOf(sample, config);
      const tree = tokenTree(PROMPT, layout.branches);
      const lower = await network.lower(tree);
      const heads = headsOf(sample, layout, tree, config);
      const options = loraLayout(network.architecture, config);
      const lora: Lora = {
        layout: options,
        values: initialLora(options, 3).values.map((a, i) => a || 0.1 * noise(i + 1, 4)[i]!),
      };
      const logprobsAt = async (values: Float32Array): Promise<Float32Array> => {
        const device = new DeviceLora(network.device, { ...lora, values }, { scale: 1, trainable: false });
        const [result] = await network.score(tree, lower, { lora: device, heads });
        device.dispose();
        return result!.logprobs.get(TEMPERATURE)!;
      };
      // The behaviour is a little off, so that ratios differ from one and one token is clipped.
      const behaviour = (await logprobsAt(lora.values)).map((x, t) => x + [0.1, -0.05, 0.4, -0.1][t]!);
      const naive = async (values: Float32Array): Promise<number> => {
        let loss = 0;
        let weight = 1;
        for (const [t, logprob] of (await logprobsAt(values)).entries()) {
          const ratio = Math.exp(logprob - behaviour[t]!);
          const bounded = Math.max(1 - config.clipLow, Math.min(1 + config.clipHigh, ratio));
          loss -= Math.min(ratio * -0.25, bounded * -0.25);
          weight *= ratio;
        }
        // Of the whole completion, and below 1 here.
        if (policyObjective === 'tapered') loss = 0.25 * (weight - 1);
        return (config.policyWeight * loss) / GENERATED.length;
      };
      const device = new DeviceLora(network.device, lora, { scale: 1, trainable: true });
      const references = [{ behaviour, base: behaviour }];
      await network.train(tree, lower, { lora: device, heads }, (results) =>
        derivativesOf(sample, layout, results, {
          config,
          counts: termTokens([sample], config),
          references,
          sums: zeroSums(),
        }),
      );
      const gradients = device.downloadGradients();
      device.dispose();
      let difference = 0;
      let largest = 0;
      for (const { offset } of lora.layout.segments) {
        const step = 1e-2;
        const at = (by: number): Promise<number> => {
          const values = lora.values.slice();
          values[offset + 5]! += by;
          return naive(values);
        };
        const numeric = ((await at(step)) - (await at(-step))) / (2 * step);
        difference = Math.max(difference, Math.abs(numeric - gradients[offset + 5]!));
        largest = Math.max(largest, Math.abs(numeric));
      }
      assert.ok(
        largest > 1e-3 && difference < 0.02 * largest,
        `difference ${difference}, largest ${largest}`,
      );
      assert.equal(
        policyLoss(policyObjective, { ...sample.policy!, ...config, logprobs: behaviour, behaviour })
          .approximateKl,
        0,
      );
    });
  }

  it('continues from its parent, optimizer included, and refuses another layout', async () => {
    const config = only({ correctionWeight: 1 });
    const first = await update([supervisedSample('correction')], config);
    const parent = { version: 1, path: first.path, scale: 1 };
    const second = await update([supervisedSample('correction')], config, { parent, candidateVersion: 2 });
    assert.ok((await logprobOf(TYPED, second.lora)) > (await logprobOf(TYPED, first.lora)));
    await assert.rejects(update([supervisedSample('correction')], { ...config, rank: 2 }, { parent }), {
      code: 'adapter_layout',
    });
  });

  it('serves a share of what was trained, and trains on from all of it', async () => {
    const whole = only({ correctionWeight: 1 });
    const half = { ...whole, servedShare: 0.5 };
    const samples = [supervisedSample('correction')];
    const first = await update(samples, half);
    assert.deepEqual(first.lora.values, (await update(samples, whole)).lora.values);
    assert.equal(first.lora.layout.alpha, whole.alpha / 2);
    const heldOut = [{ id: 'held out', prompt: PROMPT, target: TYPED }];
    const parent = { version: 1, path: first.path, scale: 1 };
    const second = await update(samples, { ...half, learningRate: 0 }, { parent, heldOut });
    const served = await logprobOf(TYPED, first.lora);
    const { reply } = second;
    assert.ok(Math.abs(reply.gate.running[0]!.logprob - served) < 1e-4, 'the gate judges what is served');
    assert.equal(reply.gate.candidate[0]!.logprob, reply.gate.running[0]!.logprob);
    const trained = await logprobOf(TYPED, {
      ...first.lora,
      layout: { ...first.lora.layout, alpha: whole.alpha },
    });
    const loss = reply.figures['losses/correction_loss']! * TYPED.length;
    assert.ok(Math.abs(loss + trained) < 1e-3, `trained at ${loss}, all of it is at ${trained}`);
    assert.ok(trained > served + 0.05, 'the share tells');
    assert.equal(reply.figures['gate/served_share'], 0.5);
  });

  it('serves all of it where the held-out events prove that better', async () => {
    const half = only({ correctionWeight: 1, servedShare: 0.5, servedShares: SHARES });
    // The text that is taught, again and again, is what is held out: no chance about it.
    const heldOut = [0, 1, 2, 3].map((i) => ({ id: `held out ${i}`, prompt: PROMPT, target: TYPED }));
    const { lora, reply } = await update([supervisedSample('correction')], half, { heldOut });
    assert.equal(reply.figures['gate/served_share'], 1);
    assert.equal(lora.layout.alpha, half.alpha);
    assert.equal(reply.gate.candidate[0]!.logprob, await logprobOf(TYPED, lora));
  });

  it('switches off what is proven to do harm, in llama.cpp too, and trains on from it', async () => {
    const config = only({ correctionWeight: 1, servedShare: 0.5, servedShares: SHARES, learningRate: 0.05 });
    // What is held out goes on otherwise at the same place.
    const heldOut = Array.from({ length: 8 }, (_, i) => ({
      id: `h${i}`,
      prompt: PROMPT,
      target: [90 + i, 91],
    }));
    const { path, lora, reply } = await update([supervisedSample('correction')], config, { heldOut });
    assert.equal(reply.figures['gate/served_share'], 0);
    assert.equal(reply.gate.reduced, true);
    assert.ok(reply.figures['gate/gain_at_share_0']! > reply.figures['gate/gain_at_share_0.25']!);
    const base = await logprobOf(TYPED, null);
    assert.ok(Math.abs((await logprobOf(TYPED, lora)) - base) < 1e-4);
    const [plain, off] = [await llamaReference(model), await llamaReference(model, { adapter: path })];
    const tokens = [...PROMPT, ...TYPED];
    const [expected, served] = [
      await plain.logprobs(tokens, PROMPT.length),
      await off.logprobs(tokens, PROMPT.length),
    ];
    served.forEach((value, i) => assert.ok(Math.abs(value - expected[i]!) < 1e-4, `${value} ${expected[i]}`));
    await plain.dispose();
    await off.dispose();
    const parent = { version: 1, path, scale: 1 };
    const all = { ...config, servedShare: 1, servedShares: [], learningRate: 0 };
    const next = await update([supervisedSample('correction')], all, { parent, candidateVersion: 2 });
    assert.deepEqual(next.lora.values, lora.values);
    assert.ok((await logprobOf(TYPED, next.lora)) > base + 0.5, 'nothing that was learned is lost');
  });

  it("goes on with fresh moments when its parent's are damaged, and says so", async () => {
    const config = only({ correctionWeight: 1 });
    const { path, reply } = await update([supervisedSample('correction')], config);
    assert.equal(reply.figures['train/optimizer_restarted'], 0);
    truncateSync(`${path}.adamw`, 1000);
    const parent = { version: 1, path, scale: 1 };
    const second = await update([supervisedSample('correction')], config, { parent, candidateVersion: 2 });
    assert.equal(second.reply.figures['train/optimizer_restarted'], 1);
    const third = await update([supervisedSample('correction')], config, {
      parent: { version: 2, path: second.path, scale: 1 },
      candidateVersion: 3,
    });
    assert.equal(third.reply.figures['train/optimizer_restarted'], 0, 'the moments are whole again');
  });

  it('trains and scores at the scale at which its parent is served', async () => {
    const config = only({ correctionWeight: 1 });
    const { path } = await update([supervisedSample('correction')], { ...config, epochs: 4 });
    const half = { version: 1, path, scale: 0.5 };
    const heldOut = [{ id: 'held out', prompt: PROMPT, target: TYPED }];
    const still = { ...config, epochs: 1, learningRate: 0 };
    const { reply } = await update([supervisedSample('correction')], still, { parent: half, heldOut });
    const whole = await update([supervisedSample('correction')], still, {
      parent: { ...half, scale: 1 },
      heldOut,
    });
    const served = reply.gate.running[0]!.logprob;
    assert.equal(reply.gate.candidate[0]!.logprob, served, 'nothing was learned, so nothing may differ');
    assert.ok(Math.abs(served - whole.reply.gate.running[0]!.logprob) > 0.05, 'the scale tells');
    const loss = reply.figures['losses/correction_loss']!;
    assert.ok(Math.abs(loss + served / TYPED.length) < 1e-4, `trained at ${loss}, served at ${served}`);
  });

  it('writes an adapter under which llama.cpp computes the same log-probabilities', async () => {
    const { lora, path } = await update(
      [supervisedSample('correction')],
      only({ correctionWeight: 1, epochs: 10 }),
    );
    const reference = await llamaReference(model, { adapter: path });
    const expected = (await reference.logprobs([...PROMPT, ...TYPED], PROMPT.length)).reduce((a, b) => a + b);
    await reference.dispose();
    assert.ok(Math.abs((await logprobOf(TYPED, lora)) - expected) < 1e-3);
  });

  it('says when there is nothing to train', async () => {
    await assert.rejects(update([policySample(0.5)], only({ correctionWeight: 1 })), {
      code: 'nothing_to_train',
    });
  });
});
