import assert from 'node:assert/strict';
import {
  meanDifference,
  momentsOf,
  probabilityWorse,
  shareDifference,
} from '../../../trainer/monitor/proof.ts';

const near = (value: number, expected: number, tolerance = 2e-3) =>
  assert.ok(Math.abs(value - expected) < tolerance, `${value} is not ${expected}`);

describe('proofs', () => {
  // Closed forms of P(X < Y) for X, Y ~ Beta, and its limits.
  const cases: [string, [number, number], [number, number], number, number][] = [
    ['nothing known', [0, 0], [0, 0], 0, 0.5],
    // P(X < Y), Y ~ Beta(2, 1), X ~ Beta(1, 1): the mean of Y.
    ['one hit before', [1, 1], [0, 0], 0, 2 / 3],
    ['one hit later', [0, 0], [1, 1], 0, 1 / 3],
    // P(X + 1/2 < Y) of two uniforms: a triangle of 1/8.
    ['a margin of a half', [0, 0], [0, 0], 0.5, 1 / 8],
    ['equal shares of many', [300, 1000], [300, 1000], 0, 0.5],
    ['much worse', [150, 300], [2, 40], 0.05, 1],
    ['much better', [2, 40], [150, 300], 0.05, 0],
  ];
  for (const [name, before, after, margin, expected] of cases)
    it(`tells how likely a fall is: ${name}`, () =>
      near(
        probabilityWorse({ hits: before[0], of: before[1] }, { hits: after[0], of: after[1] }, margin),
        expected,
      ));

  it('compares shares with a success and a failure added to each', () => {
    const { difference, standardError } = shareDifference({ hits: 0, of: 8 }, { hits: 8, of: 8 });
    near(difference, 0.8, 1e-12);
    near(standardError, Math.sqrt(2 * 0.009), 1e-12);
  });

  it("compares means with Welch's error", () => {
    const { difference, standardError } = meanDifference(momentsOf([1, 3]), momentsOf([4, 4, 10]));
    near(difference, 4, 1e-12);
    near(standardError, Math.sqrt(2 / 2 + 12 / 3), 1e-12);
  });

  it('proves nothing by one value', () => {
    assert.ok(meanDifference(momentsOf([1]), momentsOf([9, 9])).standardError > 1e9);
  });
});
