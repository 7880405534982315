import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeTinyModel } from '../fixtures/tinyModel.ts';
import { findGpu, type TestedGpu } from './device.ts';
import type { Probe } from './probe.ts';

/** A software driver compiles every shader on the processor first. */
const PROBE_LIMIT_MS = 600_000;
/** Products of F32 are rounded to F16 on the way on some devices; nats. */
const LOGPROB_TOLERANCE = 0.03;
/** Length of the difference over the length of the CPU's. */
const GRADIENT_TOLERANCE = 0.03;
/** Adam's first steps are nearly signs, so that a gradient near zero moves a parameter either way. */
const UPDATE_TOLERANCE = 0.2;

describe('a graphics device against the processor', function () {
  this.timeout(PROBE_LIMIT_MS);
  let folder: string;
  let gpu: TestedGpu;
  let expected: Probe;
  let actual: Probe;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hone-gpu-'));
    const model = join(folder, 'model.gguf');
    writeTinyModel(model);
    gpu = findGpu();
    console.log(`      ${gpu.flavour}: ${gpu.name}`);
    expected = await probe('cpu', {}, model);
    actual = await probe(gpu.flavour, gpu.environment, model);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('computes on the device', () => {
    assert.equal(actual.device, gpu.name);
    assert.notEqual(actual.device, expected.device);
  });

  it('gives the same log-probabilities, with and without an adapter', () => {
    const difference = largestDifference(actual.logprobs, expected.logprobs);
    console.log(`      largest difference ${difference.toExponential(1)} nats (limit ${LOGPROB_TOLERANCE})`);
    assert.ok(expected.logprobs.length > 20);
    assert.ok(difference <= LOGPROB_TOLERANCE);
  });

  it('gives the same gradients', () => {
    const difference = relativeDifference(actual.gradients, expected.gradients);
    console.log(`      relative difference ${difference.toExponential(1)} (limit ${GRADIENT_TOLERANCE})`);
    assert.ok(length(expected.gradients) > 0);
    assert.ok(difference <= GRADIENT_TOLERANCE);
  });

  it('makes the same update', () => {
    assert.deepEqual(actual.before, expected.before);
    const moved = (probe: Probe): number[] => probe.after.map((x, i) => x - probe.before[i]!);
    const difference = relativeDifference(moved(actual), moved(expected));
    console.log(`      relative difference ${difference.toExponential(1)} (limit ${UPDATE_TOLERANCE})`);
    assert.ok(length(moved(expected)) > 0.1);
    assert.ok(difference <= UPDATE_TOLERANCE);
  });

  it("gives the same figures to the gate's decision", () => {
    for (const side of ['running', 'candidate', 'generalBase', 'generalCandidate'] as const) {
      const scores = (probe: Probe): number[] => probe.gate[side].map((score) => score.logprob);
      const tokens = Math.max(...expected.gate[side].map((score) => score.tokens));
      const difference = largestDifference(scores(actual), scores(expected));
      assert.ok(difference <= LOGPROB_TOLERANCE * tokens, `${side}: ${difference}`);
    }
    const risen = expected.gate.candidate[0]!.logprob - expected.gate.running[0]!.logprob;
    assert.ok(risen > LOGPROB_TOLERANCE, `the update taught nothing: ${risen}`);
  });

  async function probe(flavour: string, environment: Record<string, string>, model: string): Promise<Probe> {
    const file = join(folder, `${flavour}.json`);
    const script = join(import.meta.dirname, 'probe.ts');
    await promisify(execFile)(process.execPath, [script, 'compute', flavour, model, file], {
      timeout: PROBE_LIMIT_MS,
      env: { ...process.env, ...environment },
    });
    return JSON.parse(readFileSync(file, 'utf8')) as Probe;
  }
});

function largestDifference(a: number[], b: number[]): number {
  assert.equal(a.length, b.length);
  return Math.max(...a.map((x, i) => Math.abs(x - b[i]!)));
}

function relativeDifference(a: number[], b: number[]): number {
  assert.equal(a.length, b.length);
  return length(a.map((x, i) => x - b[i]!)) / length(b);
}

function length(values: number[]): number {
  return Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));
}
