import type { Device, TensorPool } from '../ggml/device.ts';
import type { GgufFile } from '../ggml/gguf.ts';
import type { FrozenMatrix } from '../ggml/operators.ts';
import { elementsOf, shapeOf, TensorType, type Shape, type Tensor } from '../ggml/tensor.ts';
import { LINEAR_NAMES, LINEAR_TENSORS, type Architecture, type LinearName } from './architecture.ts';

/** A frozen linear layer. */
export interface Linear extends FrozenMatrix {
  bias: Tensor | null;
}

export interface LayerWeights {
  attentionNorm: Tensor;
  feedForwardNorm: Tensor;
  linears: Record<LinearName, Linear>;
}

export interface Weights {
  /** [width, vocabulary] */
  embedding: Tensor;
  outputNorm: Tensor;
  head: FrozenMatrix;
  layers: LayerWeights[];
  /** Per-dimension rope factors, or null. */
  ropeFactors: Tensor | null;
  dispose(): void;
}

/** How weights are kept in memory. */
export interface WeightOptions {
  /** Layers from here on, and the head, also keep their transpose, so that gradients pass. */
  firstLayer: number;
  /** Type of the products: the file's own, or F32 for everything. */
  forward: 'file' | 'f32';
  /** Type of the transposed matrices. */
  transposed: number;
}

interface Plan {
  name: string;
  type: number;
  shape: Shape;
  fill: () => Uint8Array;
}

/**
 * Loads a model's weights onto the device.
 *
 * @throws GgmlError `model_corrupt` for a missing tensor, `type_unsupported`, `out_of_memory`
 */
export function loadWeights(
  device: Device,
  file: GgufFile,
  architecture: Architecture,
  options: WeightOptions,
): Weights {
  const plans: Plan[] = [];
  const has = (name: string): boolean => file.tensors.has(name);
  const plain = (name: string): string => {
    plans.push(forwardPlan(device, file, name, options.forward));
    return name;
  };
  const matrix = (name: string, trained: boolean): { forward: string; transposed: string | null } => {
    if (trained) plans.push(transposedPlan(device, file, name, options.transposed));
    return { forward: plain(name), transposed: trained ? transposedName(name) : null };
  };

  const headName = has('output.weight') ? 'output.weight' : 'token_embd.weight';
  if (headName !== 'token_embd.weight') plain('token_embd.weight');
  plain('output_norm.weight');
  const head = matrix(headName, true);
  if (has('rope_freqs.weight')) plain('rope_freqs.weight');
  const layers = Array.from({ length: architecture.layers }, (_, layer) => {
    const trained = layer >= options.firstLayer;
    return {
      attentionNorm: plain(`blk.${layer}.attn_norm.weight`),
      feedForwardNorm: plain(`blk.${layer}.ffn_norm.weight`),
      linears: LINEAR_NAMES.map((name) => {
        const stem = `blk.${layer}.${LINEAR_TENSORS[name]}`;
        const bias = has(`${stem}.bias`) ? plain(`${stem}.bias`) : null;
        return { name, bias, ...matrix(`${stem}.weight`, trained) };
      }),
    };
  });

  const pool = device.allocate(plans);
  for (const plan of plans) device.upload(pool.get(plan.name), plan.fill());
  return {
    embedding: pool.get('token_embd.weight'),
    outputNorm: pool.get('output_norm.weight'),
    head: resolve(pool, head),
    ropeFactors: pool.tensors.get('rope_freqs.weight') ?? null,
    layers: layers.map((layer) => ({
      attentionNorm: pool.get(layer.attentionNorm),
      feedForwardNorm: pool.get(layer.feedForwardNorm),
      linears: Object.fromEntries(
        layer.linears.map(({ name, bias, ...names }) => [
          name,
          { ...resolve(pool, names), bias: bias === null ? null : pool.get(bias) },
        ]),
      ) as Record<LinearName, Linear>,
    })),
    dispose: () => pool.dispose(),
  };
}

function resolve(pool: TensorPool, names: { forward: string; transposed: string | null }): FrozenMatrix {
  return {
    forward: pool.get(names.forward),
    transposed: names.transposed === null ? null : pool.get(names.transposed),
  };
}

const transposedName = (name: string): string => `${name}.transposed`;

/** Vectors are always F32: ggml adds and multiplies only those. */
function forwardPlan(device: Device, file: GgufFile, name: string, forward: WeightOptions['forward']): Plan {
  const info = file.tensors.get(name);
  const shape = info?.shape ?? shapeOf(1);
  if (!info || (forward === 'file' && shape[1] > 1) || info.type === TensorType.F32)
    return { name, type: info?.type ?? TensorType.F32, shape, fill: () => file.read(name) };
  const fill = (): Uint8Array => bytesOf(device.dequantise(info.type, file.read(name), elementsOf(shape)));
  return { name, type: TensorType.F32, shape, fill };
}

function transposedPlan(device: Device, file: GgufFile, name: string, type: number): Plan {
  const info = file.tensors.get(name);
  const shape = info?.shape ?? shapeOf(1);
  const [columns, rows] = shape;
  return {
    name: transposedName(name),
    type,
    shape: shapeOf(rows, columns),
    fill() {
      const floats = device.dequantise(info!.type, file.read(name), columns * rows);
      return device.quantise(type, transpose(floats, columns, rows), rows);
    },
  };
}

/** Row-major [rows][columns] → [columns][rows], in tiles that stay in the cache. */
function transpose(source: Float32Array, columns: number, rows: number): Float32Array {
  const TILE = 32;
  const target = new Float32Array(source.length);
  for (let row0 = 0; row0 < rows; row0 += TILE) {
    const rowEnd = Math.min(rows, row0 + TILE);
    for (let column0 = 0; column0 < columns; column0 += TILE) {
      const columnEnd = Math.min(columns, column0 + TILE);
      for (let row = row0; row < rowEnd; row++) {
        for (let column = column0; column < columnEnd; column++)
          target[column * rows + row] = source[row * columns + column]!;
      }
    }
  }
  return target;
}

function bytesOf(floats: Float32Array): Uint8Array {
  return new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
}
