import assert from 'node:assert/strict';
import { adamWStep, clipGradientNorm, decayedRate, initialAdamW } from '../../../trainer/learning/adamw.ts';
import { baselinesOf, meanOfRewards } from '../../../trainer/learning/baseline.ts';
import {
  baseKlLoss,
  crossEntropy,
  effectiveSampleShare,
  policyLoss,
} from '../../../trainer/learning/objective.ts';

const close = (actual: number, expected: number, tolerance = 1e-6): void =>
  assert.ok(Math.abs(actual - expected) < tolerance, `${actual} is not ${expected}`);

describe('the clipped objective of PPO', () => {
  const term = { behaviour: [-1, -1, -1], rewarded: 3, clipLow: 0.2, clipHigh: 0.28 };

  it('has derivative −A·ratio inside the clip', () => {
    const { derivatives, clipped } = policyLoss('ppo', {
      ...term,
      logprobs: [-1, -1.1, -0.9],
      advantage: 0.5,
    });
    [1, Math.exp(-0.1), Math.exp(0.1)].forEach((ratio, t) => close(derivatives[t]!, -0.5 * ratio));
    assert.equal(clipped, 0);
  });

  it('clips above for praise and below for blame, and never the other way', () => {
    const praise = policyLoss('ppo', { ...term, logprobs: [-0.5, -2, -1], advantage: 1 });
    assert.deepEqual([praise.derivatives[0], praise.clipped], [0, 1]);
    assert.ok(praise.derivatives[1]! < 0);
    const blame = policyLoss('ppo', { ...term, logprobs: [-2, -0.5, -1], advantage: -1 });
    assert.deepEqual([blame.derivatives[0], blame.clipped], [0, 1]);
    assert.ok(blame.derivatives[1]! > 0);
  });

  it('truncates the weight of blame far above the behaviour, and pushes on', () => {
    const logprobs = [-0.1, -1 + Math.log(1.9), -1];
    const { derivatives, truncated, clipped, loss } = policyLoss('ppo', {
      ...term,
      logprobs,
      advantage: -0.25,
    });
    [2, 1.9, 1].forEach((weight, t) => close(derivatives[t]!, 0.25 * weight));
    close(loss, 0.25 * 4.9);
    assert.deepEqual([truncated, clipped], [1, 0]);
  });

  it("tells the sequence's weight and the surprise of its tokens", () => {
    const { logWeight, surprise } = policyLoss('ppo', {
      ...term,
      logprobs: [-0.5, -2, -9],
      rewarded: 2,
      advantage: 1,
    });
    close(logWeight, -0.5);
    close(surprise, 2.5);
  });

  it('leaves tokens beyond the rewarded ones alone', () => {
    const { derivatives } = policyLoss('ppo', { ...term, logprobs: [-1, -1, -1], rewarded: 2, advantage: 1 });
    assert.equal(derivatives[2], 0);
  });
});

describe('the tapered objective', () => {
  const term = { behaviour: [-1, -1], rewarded: 2, clipLow: 0.2, clipHigh: 0.28 };
  const cases: [what: string, logprobs: number[], advantage: number, weight: number][] = [
    ['praise has the weight 1 where it was sampled', [-1, -1], 0.75, 1],
    ['praise has the weight 1 far above it', [-0.1, -0.1], 0.75, 1],
    ['praise has the weight 1 far below it', [-4, -4], 0.75, 1],
    ['blame has the weight 1 where it was sampled', [-1, -1], -0.25, 1],
    ['blame never has more', [-0.1, -0.1], -0.25, 1],
    ["blame fades with the completion's weight, not the token's", [-0.5, -2.5], -0.25, Math.exp(-1)],
    ['blame is gone where the policy has left', [-30, -30], -0.25, 0],
  ];
  for (const [what, logprobs, advantage, weight] of cases) {
    it(what, () => {
      const { derivatives, clipped } = policyLoss('tapered', { ...term, logprobs, advantage });
      for (const derivative of derivatives) close(derivative, -advantage * weight);
      assert.equal(clipped, 0);
    });
  }

  it('has the derivative of its loss, by central differences, on both sides of the truncation', () => {
    for (const advantage of [0.5, -0.5]) {
      for (const shift of [-0.7, 0.7]) {
        const loss = (x: number): number =>
          policyLoss('tapered', { ...term, logprobs: [-1 + shift + x, -1.2], advantage }).loss;
        const { derivatives } = policyLoss('tapered', { ...term, logprobs: [-1 + shift, -1.2], advantage });
        close(derivatives[0]!, (loss(1e-4) - loss(-1e-4)) / 2e-4, 1e-4);
      }
    }
  });

  it('tells of the same movement as PPO, and what it truncates', () => {
    const logprobs = [-0.4, -0.8];
    const [ppo, tapered] = (['ppo', 'tapered'] as const).map((objective) =>
      policyLoss(objective, { ...term, logprobs, advantage: -0.25 }),
    );
    assert.deepEqual(
      [tapered!.approximateKl, tapered!.logWeight, tapered!.surprise],
      [ppo!.approximateKl, ppo!.logWeight, ppo!.surprise],
    );
    assert.equal(tapered!.truncated, 2);
    const beyond = policyLoss('tapered', { ...term, logprobs: [-1, -1], rewarded: 1, advantage: 1 });
    assert.deepEqual([...beyond.derivatives], [-1, 0]);
  });
});

describe('effectiveSampleShare', () => {
  const cases: [string, number[], number][] = [
    ['no samples', [], 0],
    ['equal weights', [3, 3, 3, 3], 1],
    ['one that drowns the others', [900, 0, 0, 0], 0.25],
    ['weights 1 and 3', [0, Math.log(3)], 16 / 20],
    ['weights too small for a number', [-2000, -2000], 1],
  ];
  for (const [name, logWeights, expected] of cases)
    it(`of ${name}`, () => close(effectiveSampleShare(logWeights), expected));
});

describe('baseKlLoss', () => {
  it('is zero with zero derivative at the base, and has the derivative of its loss', () => {
    const same = baseKlLoss([-1, -2], [-1, -2]);
    assert.deepEqual([same.loss, ...same.derivatives], [0, 0, 0]);
    const at = (x: number): number => baseKlLoss([x], [-1]).loss;
    close(baseKlLoss([-1.7], [-1]).derivatives[0]!, (at(-1.7 + 1e-4) - at(-1.7 - 1e-4)) / 2e-4, 1e-4);
  });

  it('stays finite far from the base', () => assert.ok(Number.isFinite(baseKlLoss([-80], [-0.1]).loss)));
});

describe('crossEntropy', () => {
  it('is the negative sum', () => assert.equal(crossEntropy([-1, -2.5]).loss, 3.5));
});

describe('adamWStep', () => {
  const options = { learningRate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.01 };

  it('follows the published algorithm for two steps', () => {
    let state = initialAdamW(1);
    let x: Float32Array = Float32Array.of(1);
    let [m, v, expected] = [0, 0, 1];
    for (const [step, g] of [0.5, -0.2].entries()) {
      ({ parameters: x, state } = adamWStep(x, Float32Array.of(g), state, options));
      m = 0.9 * m + 0.1 * g;
      v = 0.99 * v + 0.01 * g * g;
      const direction = m / (1 - 0.9 ** (step + 1)) / (Math.sqrt(v / (1 - 0.99 ** (step + 1))) + 1e-8);
      expected -= 0.1 * (direction + 0.01 * expected);
      close(x[0]!, expected, 1e-5);
    }
  });

  it('changes none of its arguments', () => {
    const [x, g, state] = [Float32Array.of(1), Float32Array.of(1), initialAdamW(1)];
    adamWStep(x, g, state, options);
    assert.deepEqual([x[0], g[0], state.step, state.m[0]], [1, 1, 0, 0]);
  });
});

describe('decayedRate', () => {
  it('falls with the square root of the steps, or not at all', () => {
    [1, Math.SQRT1_2, 0.5].forEach((rate, i) => close(decayedRate(1, [0, 8, 24][i]!, 8), rate));
    assert.equal(decayedRate(1, 1000, 0), 1);
    assert.equal(decayedRate(1, 1e6, 8), 0.2);
  });
});

describe('clipGradientNorm', () => {
  it('scales down to the norm, never up', () => {
    const large = Float32Array.of(3, 4);
    assert.equal(clipGradientNorm(large, 1), 5);
    close(Math.hypot(...large), 1);
    const small = Float32Array.of(0.3, 0.4);
    clipGradientNorm(small, 1);
    close(Math.hypot(...small), 0.5);
  });
});

describe('the baseline', () => {
  const sample = (reward: number, before: number | null = null) => ({ reward, before });
  const none = meanOfRewards([], 'rule');
  const options = { baseline: 'acceptance', acceptThreshold: 0.25 } as const;

  it('is the mean known before the batch for all of it', () => {
    const first = baselinesOf([sample(0.75), sample(-0.25)], none, options);
    assert.deepEqual(first.baselines, [0, 0]);
    assert.ok(first.next.mean > 0 && first.next.mean < 0.25);
    assert.equal(first.next.count, 2);
  });

  it('tends to the mean reward, so that rejections push down and acceptances up', () => {
    let state = none;
    for (let i = 0; i < 400; i++)
      state = baselinesOf([sample(i % 4 === 0 ? 0.75 : -0.25)], state, options).next;
    close(state.mean, 0, 0.05);
  });

  it('is what showing was expected to earn at the place, where that was predicted', () => {
    const samples = [sample(-0.25, 0.1), sample(0, 0.1), sample(0, 0.6), sample(0.75, 0.6), sample(-0.25)];
    const { baselines } = baselinesOf(samples, { ...none, mean: 0.2 }, options);
    [-0.15, -0.15, 0.35, 0.35, 0.2].forEach((expected, i) => close(baselines[i]!, expected));
    const advantage = (i: number): number => samples[i]!.reward - baselines[i]!;
    assert.ok(advantage(1) > 0, 'silence is right where little is taken');
    assert.ok(advantage(2) < 0, 'and wrong where much is');
    const means = baselinesOf(samples, { ...none, mean: 0.2 }, { ...options, baseline: 'mean' }).baselines;
    assert.deepEqual(means, [0.2, 0.2, 0.2, 0.2, 0.2]);
    const nothing = baselinesOf(samples, { ...none, mean: 0.2 }, { ...options, baseline: 'none' }).baselines;
    assert.deepEqual(nothing, [0, 0, 0, 0, 0]);
  });
});
