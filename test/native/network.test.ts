import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedModelPath } from '../../trainer/cli/options.ts';
import { TensorType } from '../../trainer/ggml/tensor.ts';
import {
  DeviceLora,
  initialLora,
  loraLayout,
  readLora,
  writeLora,
  type Lora,
} from '../../trainer/model/lora.ts';
import { Network } from '../../trainer/model/network.ts';
import { branchTargets, promptTargets, tokenTree } from '../../trainer/model/sequence.ts';
import { writeTinyModel, type TinyModelOptions } from '../fixtures/tinyModel.ts';
import { noise, testDevice } from './gradientCheck.ts';
import { llamaReference } from './llamaReference.ts';

const MODELS: Record<string, Partial<TinyModelOptions>> = {
  'llama, tied head': { architecture: 'llama', tied: true },
  'qwen2, biases, own head': { architecture: 'qwen2', biases: true, tied: false, preTokenizer: 'qwen2' },
};
const PROMPT = [40, 41, 42, 50, 61, 33, 34, 35];
const FIRST = [70, 71, 72, 73];
const SECOND = [80, 81];

describe("the trainer's transformer", () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'hone-network-'))));
  after(() => rmSync(folder, { recursive: true }));

  for (const [name, options] of Object.entries(MODELS)) {
    describe(name, () => {
      let path: string;
      const open = (firstLayer: number): Network =>
        new Network(testDevice(), path, { firstLayer, forward: 'f32', transposed: TensorType.F32 });
      before(() => {
        path = join(folder, `${options.architecture}.gguf`);
        writeTinyModel(path, options);
      });

      it("gives llama.cpp's log-probabilities, with and without an adapter", async () => {
        const network = open(1);
        const lora = randomLora(network);
        const adapter = join(folder, `${options.architecture}-adapter.gguf`);
        writeLora(network.device.ggml, adapter, network.architecture, lora);
        const deviceLora = new DeviceLora(network.device, lora, { scale: 1, trainable: false });
        const tree = tokenTree(PROMPT, [FIRST]);
        const lower = await network.lower(tree);
        for (const [withAdapter, temperature] of [
          [false, 1],
          [true, 1],
          [true, 0.3],
        ] as const) {
          const heads = [{ ...branchTargets(tree, 0, FIRST), temperatures: [temperature] }];
          const [result] = await network.score(tree, lower, { lora: withAdapter ? deviceLora : null, heads });
          const reference = await llamaReference(path, {
            adapter: withAdapter ? adapter : undefined,
            temperature,
          });
          const expected = await reference.logprobs([...PROMPT, ...FIRST], PROMPT.length);
          await reference.dispose();
          const actual = [...result!.logprobs.get(temperature)!];
          assertClose(actual, expected, 5e-4, `adapter ${withAdapter}, temperature ${temperature}`);
        }
        deviceLora.dispose();
        network.dispose();
      });

      it('scores two branches of one prompt as if each stood alone', async () => {
        const network = open(1);
        const together = tokenTree(PROMPT, [FIRST, SECOND]);
        const heads = [FIRST, SECOND].map((tokens, i) => ({
          ...branchTargets(together, i, tokens),
          temperatures: [1],
        }));
        const both = await network.score(together, await network.lower(together), { lora: null, heads });
        for (const [i, tokens] of [FIRST, SECOND].entries()) {
          const alone = tokenTree(PROMPT, [tokens]);
          const head = { ...branchTargets(alone, 0, tokens), temperatures: [1] };
          const [result] = await network.score(alone, await network.lower(alone), {
            lora: null,
            heads: [head],
          });
          assertClose([...both[i]!.logprobs.get(1)!], [...result!.logprobs.get(1)!], 1e-4, `branch ${i}`);
        }
        network.dispose();
      });

      it('has the gradient of central differences', async () => {
        const network = open(1);
        const lora = randomLora(network);
        const tree = tokenTree(PROMPT, [FIRST, SECOND]);
        const lower = await network.lower(tree);
        const heads = [
          { ...branchTargets(tree, 0, FIRST), temperatures: [1, 0.5] },
          { ...branchTargets(tree, 1, SECOND), temperatures: [1] },
          {
            ...promptTargets(tree, [
              [4, 6],
              [7, PROMPT.length],
            ]),
            temperatures: [1],
          },
        ];
        const coefficients = heads.map(
          (head, i) => new Map(head.temperatures.map((t, j) => [t, noise(head.rows.length, 10 * i + j + 1)])),
        );
        const objective = async (values: Float32Array): Promise<number> => {
          const moved = new DeviceLora(network.device, { ...lora, values }, { scale: 1, trainable: false });
          const results = await network.score(tree, lower, { lora: moved, heads });
          moved.dispose();
          let sum = 0;
          results.forEach((result, i) => {
            for (const [t, logprobs] of result.logprobs)
              logprobs.forEach((logprob, row) => (sum += coefficients[i]!.get(t)![row]! * logprob));
          });
          return sum;
        };
        const trained = new DeviceLora(network.device, lora, { scale: 1, trainable: true });
        await network.train(tree, lower, { lora: trained, heads }, () => coefficients);
        const gradients = trained.downloadGradients();
        trained.dispose();

        let difference = 0;
        let largest = 0;
        const step = 1e-2;
        for (const { offset } of lora.layout.segments) {
          for (const index of [offset, offset + 17]) {
            const at = (by: number): Promise<number> => {
              const values = lora.values.slice();
              values[index]! += by;
              return objective(values);
            };
            const numeric = ((await at(step)) - (await at(-step))) / (2 * step);
            difference = Math.max(difference, Math.abs(numeric - gradients[index]!));
            largest = Math.max(largest, Math.abs(numeric));
          }
        }
        console.log(
          `      largest difference ${difference.toExponential(1)} of gradients up to ${largest.toFixed(3)}`,
        );
        assert.ok(
          largest > 0.1 && difference < 0.01 * largest,
          `difference ${difference}, largest ${largest}`,
        );
        network.dispose();
      });
    });
  }

  it("gives llama.cpp's log-probabilities for the embedded model, in its own types", async () => {
    const path = embeddedModelPath();
    const reference = await llamaReference(path);
    const prompt = reference.tokenize('export function add(a: number, b: number): number {\n  return ');
    const target = reference.tokenize('a + b;');
    const expected = await reference.logprobs([...prompt, ...target], prompt.length);
    await reference.dispose();
    const network = new Network(testDevice(), path, {
      firstLayer: 20,
      forward: 'file',
      transposed: TensorType.BF16,
    });
    const tree = tokenTree(prompt, [target]);
    const heads = [{ ...branchTargets(tree, 0, target), temperatures: [1] }];
    const [result] = await network.score(tree, await network.lower(tree), { lora: null, heads });
    network.dispose();
    // Activations are rounded to eight bits on both sides, in other groupings: llama.cpp itself moves by some
    // tenths of a nat with the size of its batches.
    const actual = [...result!.logprobs.get(1)!];
    assertClose(actual, expected, 0.5, 'embedded model');
    const meanDifference = actual.reduce((sum, x, t) => sum + Math.abs(x - expected[t]!), 0) / actual.length;
    assert.ok(meanDifference < 0.15, `mean difference ${meanDifference}`);
    assert.ok(
      expected.some((logprob) => logprob > -1),
      'the text is no surprise to the model',
    );
  });

  for (const type of ['f16', 'f32'] as const) {
    it(`computes the same from ${type} weights kept as they are and dequantised`, async () => {
      const path = join(folder, `${type}.gguf`);
      writeTinyModel(path, { type });
      const tree = tokenTree(PROMPT, [FIRST]);
      const heads = [{ ...branchTargets(tree, 0, FIRST), temperatures: [1] }];
      const scores: number[][] = [];
      for (const forward of ['file', 'f32'] as const) {
        const network = new Network(testDevice(), path, {
          firstLayer: 1,
          forward,
          transposed: TensorType.F32,
        });
        const [result] = await network.score(tree, await network.lower(tree), { lora: null, heads });
        scores.push([...result!.logprobs.get(1)!]);
        network.dispose();
      }
      assertClose(scores[0]!, scores[1]!, 0.02, type);
    });
  }

  it('writes an adapter that it reads back unchanged', () => {
    const path = join(folder, 'llama.gguf');
    writeTinyModel(path);
    const network = new Network(testDevice(), path, {
      firstLayer: 1,
      forward: 'f32',
      transposed: TensorType.F32,
    });
    const lora = randomLora(network);
    const file = join(folder, 'round-trip.gguf');
    writeLora(network.device.ggml, file, network.architecture, lora);
    const read = readLora(network.device.ggml, file, network.architecture);
    assert.deepEqual(read.values, lora.values);
    assert.deepEqual(read.layout, lora.layout);
    network.dispose();
  });

  it('gives exact KL and greedy choices against a reference', async () => {
    const path = join(folder, 'llama.gguf');
    writeTinyModel(path);
    const network = new Network(testDevice(), path, {
      firstLayer: 1,
      forward: 'f32',
      transposed: TensorType.F32,
    });
    const tree = tokenTree(PROMPT, [FIRST]);
    const lower = await network.lower(tree);
    const heads = [{ ...branchTargets(tree, 0, FIRST), temperatures: [1] }];
    const [base] = await network.score(tree, lower, {
      lora: null,
      heads,
      wantHidden: true,
      wantArgmax: true,
    });
    const adapter = new DeviceLora(network.device, randomLora(network), { scale: 1, trainable: false });
    const reference = [base!.hidden];
    const [same] = await network.score(tree, lower, { lora: null, heads, reference });
    const [other] = await network.score(tree, lower, { lora: adapter, heads, reference });
    assert.ok(same!.kl.every((kl) => Math.abs(kl) < 1e-5));
    assert.ok(other!.kl.every((kl) => kl > 1e-4));
    // The greedy choice is at least as likely as every other token: forcing it can only raise the probability.
    const greedy = [{ ...heads[0]!, targets: [...base!.argmax] }];
    const [best] = await network.score(tree, lower, { lora: null, heads: greedy });
    best!.logprobs.get(1)!.forEach((logprob, i) => assert.ok(logprob >= base!.logprobs.get(1)![i]! - 1e-6));
    adapter.dispose();
    network.dispose();
  });
});

function randomLora(network: Network): Lora {
  const layout = loraLayout(network.architecture, {
    rank: 3,
    alpha: 6,
    targets: ['q', 'k', 'v', 'o', 'gate', 'up', 'down'],
    firstLayer: network.firstLayer,
  });
  const lora = initialLora(layout, 5);
  const values = noise(layout.parameters, 3).map((x, i) => lora.values[i]! || 0.2 * x);
  return { layout, values };
}

function assertClose(actual: number[], expected: number[], tolerance: number, what: string): void {
  const worst = Math.max(...actual.map((x, i) => Math.abs(x - expected[i]!)));
  assert.equal(actual.length, expected.length);
  assert.ok(worst < tolerance, `${what}: differs by ${worst}\n${actual.join(' ')}\n${expected.join(' ')}`);
}
