import assert from 'node:assert/strict';
import {
  add,
  attention,
  frozenLinear,
  gatedSilu,
  lowRank,
  permute,
  reshape,
  rmsNorm,
  rope,
  selectColumns,
} from '../../trainer/ggml/operators.ts';
import { gradientError, noise, type OperatorCase } from './gradientCheck.ts';

const ropeOptions = { dimensions: 4, base: 10_000, scale: 1, originalContext: 64, factors: null };
const positions = Int32Array.of(0, 1, 5);
const causalMask = (source: number, rows: number): Float32Array =>
  Float32Array.from({ length: source * rows }, (_, i) =>
    i % source <= Math.floor(i / source / 2) ? 0 : -Infinity,
  );

const cases: Record<string, OperatorCase> = {
  'add, same shape': {
    inputs: [
      [5, 3],
      [5, 3],
    ],
    build: (tape, [a, b]) => add(tape, a!, b!),
  },
  frozenLinear: {
    inputs: [[6, 4]],
    build(tape, [x], constant) {
      const forward = constant(noise(30, 7), 6, 5);
      return frozenLinear(tape, x!, { forward, transposed: tape.graph.transpose(forward) });
    },
  },
  lowRank: {
    inputs: [
      [6, 4],
      [6, 2],
      [2, 5],
    ],
    build: (tape, [x, a, b]) => lowRank(tape, x!, a!, b!, 1.7),
  },
  rmsNorm: {
    inputs: [[6, 4]],
    build: (tape, [x], constant) => rmsNorm(tape, x!, constant(noise(6, 8), 6), 1e-5),
  },
  'rope, neighbouring pairs': {
    inputs: [[6, 2, 3]],
    build: (tape, [x], constant) =>
      rope(
        tape,
        x!,
        {
          forward: constant(positions, 3),
          negated: constant(
            positions.map((p) => -p),
            3,
          ),
        },
        { ...ropeOptions, mode: 0 },
      ),
  },
  'rope, halves': {
    inputs: [[6, 2, 3]],
    build: (tape, [x], constant) =>
      rope(
        tape,
        x!,
        {
          forward: constant(positions, 3),
          negated: constant(
            positions.map((p) => -p),
            3,
          ),
        },
        { ...ropeOptions, mode: 2 },
      ),
  },
  gatedSilu: {
    inputs: [
      [5, 3],
      [5, 3],
    ],
    build: (tape, [gate, up]) => gatedSilu(tape, gate!, up!),
  },
  reshape: { inputs: [[6, 4]], build: (tape, [x]) => reshape(tape, x!, 3, 2, 4) },
  permute: { inputs: [[2, 3, 4]], build: (tape, [x]) => permute(tape, x!, [2, 0, 1, 3]) },
  'attention, two query heads a key head': {
    inputs: [
      [4, 6, 2],
      [4, 3, 2],
      [4, 3, 2],
    ],
    build: (tape, [q, k, v], constant) => attention(tape, q!, k!, v!, constant(causalMask(3, 6), 3, 6), 0.5),
  },
  'selectColumns, one twice': {
    inputs: [[5, 4]],
    build(tape, [x], constant) {
      const rows = [2, 0, 2];
      const scatter = new Float32Array(12);
      rows.forEach((row, r) => (scatter[row * 3 + r] = 1));
      return selectColumns(tape, x!, constant(Int32Array.from(rows), 3), constant(scatter, 3, 4));
    },
  },
};

describe('operators against central differences', () => {
  for (const [name, operator] of Object.entries(cases)) {
    it(name, async () => {
      const error = await gradientError(operator);
      assert.ok(error < 2e-3, `largest relative difference ${error}`);
    });
  }

  it('notices a wrong gradient', async () => {
    const wrong: OperatorCase = {
      inputs: [[5, 3]],
      build: (tape, [x]) =>
        tape.record(tape.graph.sqr(x!.value), [x!], (gradient) => {
          tape.accumulate(x!, () => tape.graph.mul(gradient, x!.value)); // the factor 2 is missing
        }),
    };
    assert.ok((await gradientError(wrong)) > 0.3);
  });
});
