import assert from 'node:assert/strict';
import type { Sample } from '../../extension/common/contracts/index.ts';
import { derivativesOf, headsOf, layoutOf, termTokens, zeroSums } from '../../trainer/learning/batch.ts';
import { policyLoss } from '../../trainer/learning/objective.ts';
import { DeviceLora, initialLora, loraLayout, type Lora } from '../../trainer/model/lora.ts';
import { tokenTree } from '../../trainer/model/sequence.ts';
import { noise } from './gradientCheck.ts';
import {
  GENERATED,
  PROMPT,
  TEMPERATURE,
  UpdateRig,
  only,
  policySample,
  supervisedSample,
} from './updateRig.ts';

describe('the policy term of an update', () => {
  let rig: UpdateRig;
  before(() => {
    rig = new UpdateRig();
  });
  after(() => rig.dispose());

  it('takes the behaviour at the scale that served, whatever the scale is by now', async () => {
    const [token] = GENERATED;
    const taught = only({ correctionWeight: 1, learningRate: 0.05 });
    const { path, lora } = await rig.update([supervisedSample('correction')], taught);
    const half = new DeviceLora(rig.network.device, lora, { scale: 0.5, trainable: false });
    const [score] = await rig.scorer.score([{ id: 'half', prompt: PROMPT, target: [token!] }], {
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
      const { reply } = await rig.update([sample], only({ policyWeight: 1, learningRate: 0 }), rest);
      return reply.figures['rollout/engine_logprob_diff']!;
    };
    assert.ok((await difference(0.5)) < 1e-5);
    assert.ok((await difference(1)) > 1e-2);
    assert.ok((await difference(0)) > 1e-2);
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
    const [apart, together] = [await rig.update(single, config), await rig.update([group], config)];
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

  it('moves sampled text by the sign of its advantage, PPO alone', async () => {
    const base = await rig.logprobOf(GENERATED, null);
    const praised = await rig.update([policySample(0.75)], only({ policyWeight: 1 }));
    const blamed = await rig.update([policySample(-0.25)], only({ policyWeight: 1 }));
    assert.ok((await rig.logprobOf(GENERATED, praised.lora)) > base + 0.05);
    assert.ok((await rig.logprobOf(GENERATED, blamed.lora)) < base - 0.05);
  });

  it('stops pushing where the ratio is clipped', async () => {
    const far = only({ policyWeight: 1, epochs: 40, targetKl: 1e9, learningRate: 0.001 });
    const { reply, lora } = await rig.update([policySample(0.75)], far);
    const drift = (await rig.logprobOf(GENERATED, lora)) - (await rig.logprobOf(GENERATED, null));
    const unclipped = await rig.update([policySample(0.75)], { ...far, clipHigh: 1e9 });
    const freeDrift =
      (await rig.logprobOf(GENERATED, unclipped.lora)) - (await rig.logprobOf(GENERATED, null));
    assert.ok(reply.figures['losses/clipfrac']! > 0.5, `clipped ${reply.figures['losses/clipfrac']}`);
    assert.ok(drift < 0.6 * freeDrift, `clipped drift ${drift}, free ${freeDrift}`);
  });

  it('stops an epoch early when the policy has moved too far', async () => {
    const { reply } = await rig.update(
      [policySample(0.75)],
      only({ policyWeight: 1, epochs: 40, targetKl: 1e-4 }),
    );
    assert.ok(reply.figures['train/epochs']! < 40);
  });

  it('stays nearer to the base with a KL term', async () => {
    const samples = [policySample(0.75)];
    const free = await rig.update(
      samples,
      only({ policyWeight: 1, epochs: 20, targetKl: 1e9, clipHigh: 2, learningRate: 0.002 }),
    );
    const held = await rig.update(
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
      const lower = await rig.network.lower(tree);
      const heads = headsOf(sample, layout, tree, config);
      const options = loraLayout(rig.network.architecture, config);
      const lora: Lora = {
        layout: options,
        values: initialLora(options, 3).values.map((a, i) => a || 0.1 * noise(i + 1, 4)[i]!),
      };
      const logprobsAt = async (values: Float32Array): Promise<Float32Array> => {
        const device = new DeviceLora(
          rig.network.device,
          { ...lora, values },
          { scale: 1, trainable: false },
        );
        const [result] = await rig.network.score(tree, lower, { lora: device, heads });
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
      const device = new DeviceLora(rig.network.device, lora, { scale: 1, trainable: true });
      const references = [{ behaviour, base: behaviour }];
      await rig.network.train(tree, lower, { lora: device, heads }, (results) =>
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
});
