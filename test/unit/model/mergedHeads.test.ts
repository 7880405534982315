import assert from 'node:assert/strict';
import { mergeHeads } from '../../../trainer/model/mergedHeads.ts';
import type { HeadRequest, HeadResult } from '../../../trainer/model/network.ts';

const WIDTH = 2;
const request = (rows: number[], temperatures: number[]): HeadRequest => ({
  rows,
  targets: rows.map((row) => row + 100),
  temperatures,
});
/** What a head would find: every value tells its row, the number of its head and the temperature. */
const resultOf = (head: HeadRequest): HeadResult => ({
  logprobs: new Map(
    head.temperatures.map((t) => [t, Float32Array.from(head.targets, (id) => -(id + t / 10))]),
  ),
  argmax: Int32Array.from(head.rows),
  hidden: Float32Array.from(head.rows.flatMap((row) => [row, -row])),
  kl: Float32Array.from(head.rows, (row) => row / 2),
});

describe('merged heads', () => {
  const requests = [
    request([1, 2], [1, 0.3]),
    request([3], [1]),
    request([1, 4, 5], [1, 0.3]),
    request([6], [1]),
    request([7], [0.3, 1]),
  ];

  it('are those that ask for the same temperatures', () => {
    assert.deepEqual(
      mergeHeads(requests).heads.map(({ rows, temperatures }) => [rows, temperatures]),
      [
        [
          [1, 2, 1, 4, 5],
          [1, 0.3],
        ],
        [[3, 6], [1]],
        [[7], [0.3, 1]],
      ],
    );
  });

  it('give each its own results', () => {
    const { heads, split } = mergeHeads(requests);
    const results = split(heads.map(resultOf));
    assert.deepEqual(results, requests.map(resultOf));
    assert.equal(results[2]!.hidden.length, 3 * WIDTH);
  });

  it('take the coefficients of each to its rows, zero where one has none', () => {
    const { join } = mergeHeads(requests);
    const joined = join([
      new Map([[1, Float32Array.of(1, 2)]]),
      new Map([[1, Float32Array.of(3)]]),
      new Map([
        [1, Float32Array.of(4, 5, 6)],
        [0.3, Float32Array.of(7, 8, 9)],
      ]),
      new Map<number, Float32Array>(),
      new Map<number, Float32Array>(),
    ]);
    assert.deepEqual(
      joined.map((head) => [...head].map(([t, values]) => [t, [...values]])),
      [
        [
          [1, [1, 2, 4, 5, 6]],
          [0.3, [0, 0, 7, 8, 9]],
        ],
        [[1, [3, 0]]],
        [],
      ],
    );
  });

  it('stay below a number of rows', () => {
    const long = Array.from({ length: 5 }, () =>
      request(
        Array.from({ length: 100 }, (_, i) => i),
        [1],
      ),
    );
    assert.deepEqual(
      mergeHeads([
        ...long,
        request(
          Array.from({ length: 300 }, (_, i) => i),
          [1],
        ),
      ]).heads.map((head) => head.rows.length),
      [200, 200, 100, 300],
    );
  });
});
