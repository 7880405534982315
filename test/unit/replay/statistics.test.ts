import assert from 'node:assert/strict';
import { sampleInOrder } from '../../../extension/common/random.ts';
import { keyedRandom } from '../../../trainer/replay/random.ts';
import { pairedBootstrap, quantile, sumByKey } from '../../../trainer/replay/statistics.ts';

describe('quantile', () => {
  const cases: [values: number[], q: number, expected: number][] = [
    [[3, 1, 2], 0.5, 2],
    [[1, 2, 3, 4], 0.5, 2.5],
    [[1, 2, 3, 4, 5], 0.25, 2],
    [[10], 0.95, 10],
    [[0, 100], 0.95, 95],
  ];
  for (const [values, q, expected] of cases) {
    it(`${q} of ${values.join(', ')} is ${expected}`, () => assert.equal(quantile(values, q), expected));
  }
  it('of nothing is not a number', () => assert.ok(Number.isNaN(quantile([], 0.5))));
});

describe('pairedBootstrap', () => {
  const sums = (differences: number[]) =>
    differences.map((difference, i) => ({ key: `${i}`, before: 10, after: 10 + difference, weight: 5 }));

  it('gives means and difference exactly', () => {
    const interval = pairedBootstrap(sums([1, 2, 3]), 1);
    assert.equal(interval.before, 2);
    assert.ok(Math.abs(interval.difference - 0.4) < 1e-12);
    assert.equal(interval.files, 3);
  });

  it('is a point when every file says the same', () => {
    const interval = pairedBootstrap(sums([1, 1, 1, 1]), 1);
    assert.ok(Math.abs(interval.low - 0.2) < 1e-12 && Math.abs(interval.high - 0.2) < 1e-12);
  });

  it('agrees with the normal interval of a mean', () => {
    const random = keyedRandom(3, 'data');
    const differences = Array.from({ length: 200 }, () => random.share());
    const interval = pairedBootstrap(
      differences.map((difference, i) => ({ key: `${i}`, before: 0, after: difference, weight: 1 })),
      1,
    );
    const mean = differences.reduce((sum, one) => sum + one, 0) / 200;
    const deviation = Math.sqrt(differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / 199);
    assert.ok(Math.abs(interval.high - (mean + (1.96 * deviation) / Math.sqrt(200))) < 0.005);
    assert.ok(Math.abs(interval.low - (mean - (1.96 * deviation) / Math.sqrt(200))) < 0.005);
  });

  it('weighs files by what they hold', () => {
    const interval = pairedBootstrap(
      [
        { key: 'large', before: 0, after: 90, weight: 90 },
        { key: 'small', before: 0, after: 0, weight: 10 },
      ],
      1,
    );
    assert.equal(interval.difference, 0.9);
    assert.deepEqual([interval.low, interval.high], [0, 1]);
  });

  it('says the same with the same seed', () => {
    assert.deepEqual(pairedBootstrap(sums([1, -2, 3]), 4), pairedBootstrap(sums([1, -2, 3]), 4));
  });

  it('refuses to measure nothing', () => {
    assert.throws(() => pairedBootstrap([], 1), /Nothing was measured/);
  });
});

describe('sumByKey', () => {
  it('adds up what belongs to one file', () => {
    const item = (key: string, after: number) => ({ key, before: 1, after, weight: 2 });
    assert.deepEqual(sumByKey([item('a', 1), item('b', 2), item('a', 3)]), [
      { key: 'a', before: 2, after: 4, weight: 4 },
      { key: 'b', before: 1, after: 2, weight: 2 },
    ]);
  });
});

describe('sampleInOrder', () => {
  it('keeps the order, takes as many as asked for, and each as often as another', () => {
    const counts = new Array<number>(10).fill(0);
    for (let seed = 0; seed < 3000; seed++) {
      const chosen = sampleInOrder([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 3, keyedRandom(seed, 'sample'));
      assert.equal(chosen.length, 3);
      assert.deepEqual(
        chosen,
        chosen.toSorted((a, b) => a - b),
      );
      for (const one of chosen) counts[one]!++;
    }
    for (const count of counts) assert.ok(Math.abs(count - 900) < 130, counts.join(' '));
  });
});
