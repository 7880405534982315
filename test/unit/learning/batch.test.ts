import assert from 'node:assert/strict';
import type { Sample, UpdateConfig } from '../../../extension/common/contracts/index.ts';
import { derivativesOf, layoutOf, termTokens, zeroSums } from '../../../trainer/learning/batch.ts';
import { defaultUpdateConfig } from '../../../trainer/learning/config.ts';
import type { HeadResult } from '../../../trainer/model/network.ts';

const CORRECTION = [1, 2, 3];
const ACCEPTED = [4, 5];
const GENERAL = [6, 7, 8, 9];
const CONTEXT_TOKENS = 5;

const corrected: Sample = {
  eventId: 'corrected',
  prompt: Array.from({ length: 9 }, (_, i) => i),
  supervised: { source: 'correction', tokens: CORRECTION, weight: 1 },
  context: { spans: [[4, 4 + CONTEXT_TOKENS]], weight: 1 },
};
const accepted: Sample = {
  eventId: 'accepted',
  prompt: [1, 2],
  supervised: { source: 'accepted', tokens: ACCEPTED, weight: 0.5 },
};
const general: Sample = {
  eventId: 'general',
  prompt: [1, 2],
  supervised: { source: 'general', tokens: GENERAL, weight: 1 },
};

/** d loss / d log p of each head of each sample of one mini-batch, at temperature 1. */
function derivatives(samples: Sample[], weights: Partial<UpdateConfig>): number[][][] {
  const config = { ...defaultUpdateConfig(30), ...weights };
  const counts = termTokens(samples, config);
  return samples.map((sample) => {
    const layout = layoutOf(sample, config);
    const lengths = layout.branches.map((branch) => branch.length);
    if (sample.context && config.contextWeight > 0) lengths.push(CONTEXT_TOKENS);
    const results = lengths.map(
      (n) => ({ logprobs: new Map([[1, new Float32Array(n).fill(-1)]]) }) as unknown as HeadResult,
    );
    const batch = { config, counts, references: undefined, sums: zeroSums() };
    return derivativesOf(sample, layout, results, batch).map((head) => [...(head.get(1) ?? [])]);
  });
}

const allNear = (actual: number[], length: number, expected: number): void => {
  assert.equal(actual.length, length);
  for (const value of actual) assert.ok(Math.abs(value - expected) < 1e-6, `${value}, not ${expected}`);
};

describe('the supervised terms of a mini-batch', () => {
  it('count every token the same at equal weights, accepted text by what was kept', () => {
    const all = CORRECTION.length + ACCEPTED.length + CONTEXT_TOKENS;
    const [first, second] = derivatives([corrected, accepted], {});
    allNear(first![0]!, 3, -1 / all);
    allNear(first![1]!, CONTEXT_TOKENS, -1 / all);
    allNear(second![0]!, 2, -0.5 / all);
  });

  it('weigh their tokens, and divide by the weights', () => {
    const weights = { correctionWeight: 2, acceptedWeight: 0.5, contextWeight: 1 };
    const all = 2 * CORRECTION.length + 0.5 * ACCEPTED.length + CONTEXT_TOKENS;
    const [first, second] = derivatives([corrected, accepted], weights);
    allNear(first![0]!, 3, -2 / all);
    allNear(first![1]!, CONTEXT_TOKENS, -1 / all);
    allNear(second![0]!, 2, (-0.5 * 0.5) / all);
  });

  it('take general code into the same mean, at its own weight', () => {
    const all = CORRECTION.length + 0.25 * GENERAL.length;
    const weights = { contextWeight: 0, generalWeight: 0.25 };
    const [first, second] = derivatives([corrected, general], weights);
    allNear(first![0]!, 3, -1 / all);
    allNear(second![0]!, 4, -0.25 / all);
  });

  it('leave a term out that is off, also of the mean', () => {
    const [first] = derivatives([corrected, accepted], { contextWeight: 0, acceptedWeight: 0 });
    assert.equal(first!.length, 1);
    allNear(first![0]!, 3, -1 / 3);
  });
});
