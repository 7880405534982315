import { Device } from '../../trainer/ggml/device.ts';
import { Graph } from '../../trainer/ggml/graph.ts';
import { Tape, type Variable } from '../../trainer/ggml/tape.ts';
import { elementsOf, TensorType, type Tensor } from '../../trainer/ggml/tensor.ts';

let shared: Device | undefined;

/** One device for all native tests: a process has one ggml. */
export function testDevice(): Device {
  shared ??= new Device({ gpu: 'cpu', threads: 1 });
  return shared;
}

/** Pseudo-random numbers in −1..1 from a seed, the same on every machine. */
export function noise(count: number, seed: number): Float32Array {
  let state = seed * 2654435761 + 1;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  });
}

export interface OperatorCase {
  /** Sizes of the differentiated inputs. */
  inputs: number[][];
  /** Builds the operator; extra inputs are made with `constant`. */
  build(
    tape: Tape,
    inputs: Variable[],
    constant: (values: Float32Array | Int32Array, ...sizes: number[]) => Tensor,
  ): Variable;
  /** Values of the inputs, when −1..1 does not do. */
  scale?: number;
}

/**
 * Largest difference between the tape's gradients and central differences of Σ w·y, relative to the largest
 * gradient, over all elements of all inputs.
 */
export async function gradientError(operator: OperatorCase, step = 1e-2): Promise<number> {
  const values = operator.inputs.map((sizes, i) =>
    noise(
      sizes.reduce((a, b) => a * b, 1),
      i + 1,
    ).map((x) => x * (operator.scale ?? 1)),
  );
  const { gradients } = await run(operator, values);
  let difference = 0;
  let largest = 0;
  for (const [i, input] of values.entries()) {
    for (let j = 0; j < input.length; j++) {
      const at = (x: number): Promise<{ loss: number }> => {
        const moved = values.map((value) => value.slice());
        moved[i]![j] = x;
        return run(operator, moved);
      };
      const numeric = ((await at(input[j]! + step)).loss - (await at(input[j]! - step)).loss) / (2 * step);
      difference = Math.max(difference, Math.abs(numeric - gradients[i]![j]!));
      largest = Math.max(largest, Math.abs(numeric));
    }
  }
  if (largest === 0)
    throw new Error('The operator has no gradient at this point: the check would prove nothing.');
  return difference / largest;
}

async function run(
  operator: OperatorCase,
  values: Float32Array[],
): Promise<{ loss: number; gradients: Float32Array[] }> {
  const device = testDevice();
  const graph = new Graph(device, 512);
  const allocator = device.newAllocator();
  try {
    const tape = new Tape(graph);
    const uploads: [Tensor, Float32Array | Int32Array][] = [];
    const constant = (data: Float32Array | Int32Array, ...sizes: number[]): Tensor => {
      const type = data instanceof Int32Array ? TensorType.I32 : TensorType.F32;
      const tensor = graph.input(type, ...sizes);
      uploads.push([tensor, data]);
      return tensor;
    };
    const variables = operator.inputs.map((sizes, i) => tape.parameter(constant(values[i]!, ...sizes)));
    const output = operator.build(tape, variables, constant);
    const weights = noise(elementsOf(output.value.shape), 99);
    const weightTensor = constant(weights, ...output.value.shape);
    tape.accumulate(output, () => weightTensor);
    tape.backward();
    const gradients = variables.map((variable) => graph.output(tape.gradientOf(variable)!));
    graph.endStage(graph.output(output.value), ...gradients);
    graph.allocate(allocator);
    for (const [tensor, data] of uploads) device.uploadIfUsed(tensor, data);
    await graph.runStage(0, async () => {});
    const loss = device.downloadFloats(output.value).reduce((sum, y, i) => sum + y * weights[i]!, 0);
    return { loss, gradients: gradients.map((gradient) => device.downloadFloats(gradient)) };
  } finally {
    graph.dispose();
    device.ggml.ggml_gallocr_free(allocator);
  }
}
