import type { UpdateConfig } from '../../extension/common/contracts/index.ts';
import type { Device } from '../ggml/device.ts';
import { Graph } from '../ggml/graph.ts';
import { shapeOf, TensorType } from '../ggml/tensor.ts';

type WeightType = Exclude<UpdateConfig['weightType'], 'auto'>;

const TYPES: Record<WeightType, number> = { f32: TensorType.F32, bf16: TensorType.BF16, f16: TensorType.F16 };
/** A product of about the embedded model's shapes: 0.5 G multiply-adds. */
const [INPUTS, OUTPUTS, TOKENS] = [1536, 1536, 224];
const ROUNDS = 4;

/**
 * The type in which gradients pass through frozen weights fastest on this computer, by a measurement of about
 * half a second; F16 is not a candidate, because gradients underflow in it on some back ends.
 */
export async function chooseWeightType(
  device: Device,
  wanted: UpdateConfig['weightType'],
): Promise<WeightType> {
  if (wanted !== 'auto') return wanted;
  const [f32, bf16] = [await secondsOf(device, TensorType.F32), await secondsOf(device, TensorType.BF16)];
  return bf16 < f32 ? 'bf16' : 'f32';
}

/** ggml's number of the type. */
export function tensorTypeOf(type: WeightType): number {
  return TYPES[type];
}

async function secondsOf(device: Device, type: number): Promise<number> {
  const pool = device.allocate([{ name: 'weight', type, shape: shapeOf(INPUTS, OUTPUTS) }]);
  const graph = new Graph(device, 16);
  const allocator = device.newAllocator();
  try {
    device.zero(pool.get('weight'));
    const x = graph.input(TensorType.F32, INPUTS, TOKENS);
    graph.endStage(graph.output(graph.mulMat(pool.get('weight'), x)));
    graph.allocate(allocator);
    device.upload(x, new Float32Array(INPUTS * TOKENS));
    let best = Infinity;
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      await graph.runStage(0, async () => {});
      best = Math.min(best, performance.now() - start);
    }
    return best / 1000;
  } finally {
    graph.dispose();
    device.ggml.ggml_gallocr_free(allocator);
    pool.dispose();
  }
}
