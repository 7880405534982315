import type { Device } from './device.ts';
import { GgmlError } from './errors.ts';
import { Graph } from './graph.ts';
import { gatedSilu } from './operators.ts';
import { Tape } from './tape.ts';
import { TensorType } from './tensor.ts';

/** Block sizes in bytes, as the GGUF format defines them. */
const KNOWN_TYPES = [
  { type: TensorType.F32, name: 'f32', bytes: 4 },
  { type: TensorType.F16, name: 'f16', bytes: 2 },
  { type: TensorType.BF16, name: 'bf16', bytes: 2 },
  { type: TensorType.Q5_0, name: 'q5_0', bytes: 22 },
  { type: TensorType.Q8_0, name: 'q8_0', bytes: 34 },
];
const TOLERANCE = 1e-4;

/**
 * Checks at start that the loaded library is the one the bindings describe: type sizes, a 2×2 product, and one
 * gradient. ggml's interface is not stable, and a wrong one would train nonsense silently.
 *
 * @throws GgmlError `ggml_unknown`
 */
export async function selfCheck(device: Device): Promise<void> {
  for (const { type, name, bytes } of KNOWN_TYPES) {
    const size = device.ggml.ggml_type_size(type);
    if (device.ggml.ggml_type_name(type) !== name || size !== bytes)
      throw unknown(
        device,
        `type ${type} is ${device.typeName(type)} of ${size} bytes, not ${name} of ${bytes}`,
      );
  }
  const graph = new Graph(device, 64);
  const allocator = device.newAllocator();
  try {
    const a = graph.input(TensorType.F32, 2, 2);
    const b = graph.input(TensorType.F32, 2, 2);
    const ones = graph.input(TensorType.F32, 2, 2);
    const product = graph.output(graph.mulMat(a, b));
    const tape = new Tape(graph);
    const gate = tape.parameter(a);
    const gated = gatedSilu(tape, gate, tape.constant(b));
    tape.accumulate(gated, () => ones);
    tape.backward();
    const gradient = graph.output(tape.gradientOf(gate)!);
    graph.endStage(product, gradient);
    graph.allocate(allocator);
    device.upload(a, Float32Array.of(1, 2, 3, 4));
    device.upload(b, Float32Array.of(5, 6, 7, 8));
    device.upload(ones, Float32Array.of(1, 1, 1, 1));
    await graph.runStage(0, async () => {});
    // ggml's product is aᵀb by rows: row i of a times row j of b.
    expectClose(device, 'product', device.downloadFloats(product), [17, 39, 23, 53]);
    const slope = (x: number): number =>
      1 / (1 + Math.exp(-x)) + (x * Math.exp(-x)) / (1 + Math.exp(-x)) ** 2;
    const expected = [5 * slope(1), 6 * slope(2), 7 * slope(3), 8 * slope(4)];
    expectClose(device, 'gradient', device.downloadFloats(gradient), expected);
  } finally {
    graph.dispose();
    device.ggml.ggml_gallocr_free(allocator);
  }
}

function expectClose(device: Device, name: string, actual: Float32Array, expected: number[]): void {
  const close = expected.every((value, i) => Math.abs(actual[i]! - value) <= TOLERANCE * Math.abs(value));
  if (!close) throw unknown(device, `a ${name} is ${actual.join(', ')}, not ${expected.join(', ')}`);
}

function unknown(device: Device, what: string): GgmlError {
  return new GgmlError(
    'ggml_unknown',
    `The ggml in ${device.ggml.folder} is not the one Hone was built for: ${what}. Reinstall node-llama-cpp 3.22.1.`,
  );
}
