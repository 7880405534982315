import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import type { Sample } from '../../extension/common/contracts/index.ts';
import { initialLora } from '../../trainer/model/lora.ts';
import { llamaReference } from './llamaReference.ts';
import { PROMPT, TYPED, UpdateRig, only, policySample, supervisedSample } from './updateRig.ts';

const SHARES = [0, 0.25, 0.5, 0.75, 1];

describe('the update', () => {
  let rig: UpdateRig;
  before(() => {
    rig = new UpdateRig();
  });
  after(() => rig.dispose());

  it('changes nothing at learning rate 0', async () => {
    const config = only({ correctionWeight: 1, learningRate: 0 });
    const { lora } = await rig.update([supervisedSample('correction')], config);
    assert.deepEqual(lora.values, initialLora(lora.layout, 1).values);
  });

  it('gives the same adapter bit for bit from the same seed, another from another', async () => {
    const samples = [policySample(0.5), supervisedSample('correction'), policySample(-0.2)];
    const config = only({ correctionWeight: 1, policyWeight: 0.5, klWeight: 0.1 });
    const first = await rig.update(samples, config);
    const second = await rig.update(samples, config);
    const third = await rig.update(samples, config, { seed: 2 });
    assert.deepEqual(first.lora.values, second.lora.values);
    assert.notDeepEqual(first.lora.values, third.lora.values);
  });

  for (const source of ['correction', 'accepted'] as const) {
    it(`makes ${source} text likelier, alone`, async () => {
      const config = only(source === 'correction' ? { correctionWeight: 1 } : { acceptedWeight: 1 });
      const { lora, reply } = await rig.update([supervisedSample(source)], config);
      assert.ok((await rig.logprobOf(TYPED, lora)) > (await rig.logprobOf(TYPED, null)) + 0.1);
      assert.deepEqual(
        Object.keys(reply.figures).filter(
          (name) => name.startsWith('losses/') && name !== 'losses/grad_norm',
        ),
        [`losses/${source}_loss`],
      );
    });
  }

  it('teaches general code beside events, and never without any', async () => {
    const general = supervisedSample('general');
    const config = only({ correctionWeight: 1, generalWeight: 1 });
    const { reply } = await rig.update([supervisedSample('correction'), general], config);
    assert.ok(reply.figures['losses/general_loss']! > 0);
    await assert.rejects(rig.update([general], config), { code: 'nothing_to_train' });
  });

  it('makes freshly typed prompt text likelier, alone', async () => {
    const sample: Sample = {
      eventId: 'context',
      prompt: [...PROMPT, ...TYPED],
      context: { spans: [[PROMPT.length, PROMPT.length + TYPED.length]], weight: 1 },
    };
    const { lora } = await rig.update([sample], only({ contextWeight: 1 }));
    assert.ok((await rig.logprobOf(TYPED, lora)) > (await rig.logprobOf(TYPED, null)) + 0.1);
  });

  it('continues from its parent, optimizer included, and refuses another layout', async () => {
    const config = only({ correctionWeight: 1 });
    const first = await rig.update([supervisedSample('correction')], config);
    const parent = { version: 1, path: first.path, scale: 1 };
    const second = await rig.update([supervisedSample('correction')], config, {
      parent,
      candidateVersion: 2,
    });
    assert.ok((await rig.logprobOf(TYPED, second.lora)) > (await rig.logprobOf(TYPED, first.lora)));
    await assert.rejects(rig.update([supervisedSample('correction')], { ...config, rank: 2 }, { parent }), {
      code: 'adapter_layout',
    });
  });

  it('serves a share of what was trained, and trains on from all of it', async () => {
    const whole = only({ correctionWeight: 1 });
    const half = { ...whole, servedShare: 0.5 };
    const samples = [supervisedSample('correction')];
    const first = await rig.update(samples, half);
    assert.deepEqual(first.lora.values, (await rig.update(samples, whole)).lora.values);
    assert.equal(first.lora.layout.alpha, whole.alpha / 2);
    const heldOut = [{ id: 'held out', prompt: PROMPT, target: TYPED }];
    const parent = { version: 1, path: first.path, scale: 1 };
    const second = await rig.update(samples, { ...half, learningRate: 0 }, { parent, heldOut });
    const served = await rig.logprobOf(TYPED, first.lora);
    const { reply } = second;
    assert.ok(Math.abs(reply.gate.running[0]!.logprob - served) < 1e-4, 'the gate judges what is served');
    assert.equal(reply.gate.candidate[0]!.logprob, reply.gate.running[0]!.logprob);
    const trained = await rig.logprobOf(TYPED, {
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
    const { lora, reply } = await rig.update([supervisedSample('correction')], half, { heldOut });
    assert.equal(reply.figures['gate/served_share'], 1);
    assert.equal(lora.layout.alpha, half.alpha);
    assert.equal(reply.gate.candidate[0]!.logprob, await rig.logprobOf(TYPED, lora));
  });

  it('switches off what is proven to do harm, in llama.cpp too, and trains on from it', async () => {
    const config = only({ correctionWeight: 1, servedShare: 0.5, servedShares: SHARES, learningRate: 0.05 });
    // What is held out goes on otherwise at the same place.
    const heldOut = Array.from({ length: 8 }, (_, i) => ({
      id: `h${i}`,
      prompt: PROMPT,
      target: [90 + i, 91],
    }));
    const { path, lora, reply } = await rig.update([supervisedSample('correction')], config, { heldOut });
    assert.equal(reply.figures['gate/served_share'], 0);
    assert.equal(reply.gate.reduced, true);
    assert.ok(reply.figures['gate/gain_at_share_0']! > reply.figures['gate/gain_at_share_0.25']!);
    const base = await rig.logprobOf(TYPED, null);
    assert.ok(Math.abs((await rig.logprobOf(TYPED, lora)) - base) < 1e-4);
    const [plain, off] = [
      await llamaReference(rig.model),
      await llamaReference(rig.model, { adapter: path }),
    ];
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
    const next = await rig.update([supervisedSample('correction')], all, { parent, candidateVersion: 2 });
    assert.deepEqual(next.lora.values, lora.values);
    assert.ok((await rig.logprobOf(TYPED, next.lora)) > base + 0.5, 'nothing that was learned is lost');
  });

  it("goes on with fresh moments when its parent's are damaged, and says so", async () => {
    const config = only({ correctionWeight: 1 });
    const { path, reply } = await rig.update([supervisedSample('correction')], config);
    assert.equal(reply.figures['train/optimizer_restarted'], 0);
    truncateSync(`${path}.adamw`, 1000);
    const parent = { version: 1, path, scale: 1 };
    const second = await rig.update([supervisedSample('correction')], config, {
      parent,
      candidateVersion: 2,
    });
    assert.equal(second.reply.figures['train/optimizer_restarted'], 1);
    const third = await rig.update([supervisedSample('correction')], config, {
      parent: { version: 2, path: second.path, scale: 1 },
      candidateVersion: 3,
    });
    assert.equal(third.reply.figures['train/optimizer_restarted'], 0, 'the moments are whole again');
  });

  it('trains and scores at the scale at which its parent is served', async () => {
    const config = only({ correctionWeight: 1 });
    const { path } = await rig.update([supervisedSample('correction')], { ...config, epochs: 4 });
    const half = { version: 1, path, scale: 0.5 };
    const heldOut = [{ id: 'held out', prompt: PROMPT, target: TYPED }];
    const still = { ...config, epochs: 1, learningRate: 0 };
    const { reply } = await rig.update([supervisedSample('correction')], still, { parent: half, heldOut });
    const whole = await rig.update([supervisedSample('correction')], still, {
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
    const { lora, path } = await rig.update(
      [supervisedSample('correction')],
      only({ correctionWeight: 1, epochs: 10 }),
    );
    const reference = await llamaReference(rig.model, { adapter: path });
    const expected = (await reference.logprobs([...PROMPT, ...TYPED], PROMPT.length)).reduce((a, b) => a + b);
    await reference.dispose();
    assert.ok(Math.abs((await rig.logprobOf(TYPED, lora)) - expected) < 1e-3);
  });

  it('says when there is nothing to train', async () => {
    await assert.rejects(rig.update([policySample(0.5)], only({ correctionWeight: 1 })), {
      code: 'nothing_to_train',
    });
  });
});
