import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Device, TensorPool } from '../ggml/device.ts';
import { GgmlError } from '../ggml/errors.ts';
import { readGguf, writeGguf } from '../ggml/gguf.ts';
import type { Ggml } from '../ggml/library.ts';
import { elementsOf, shapeOf, TensorType, type Shape, type Tensor } from '../ggml/tensor.ts';
import {
  LINEAR_NAMES,
  LINEAR_TENSORS,
  linearShape,
  type Architecture,
  type LinearName,
} from './architecture.ts';

/** One LoRA matrix within the flat parameter vector. */
interface LoraSegment {
  /** As in the adapter file: blk.7.attn_q.weight.lora_a. */
  name: string;
  layer: number;
  target: LinearName;
  matrix: 'a' | 'b';
  /** a: [in, r], b: [r, out] */
  shape: Shape;
  offset: number;
}

/** Which linear layers carry LoRA, and how the matrices lie in the flat vector. */
interface LoraLayout {
  rank: number;
  alpha: number;
  segments: LoraSegment[];
  parameters: number;
}

interface LoraOptions {
  rank: number;
  alpha: number;
  targets: LinearName[];
  firstLayer: number;
  endLayer?: number;
}

/** A LoRA adapter on the host: all matrices in one vector, so that an optimizer sees one parameter. */
export interface Lora {
  layout: LoraLayout;
  values: Float32Array;
}

/**
 * Lays out the matrices of the chosen layers and targets, by layer and then by target, A before B.
 *
 * @throws RangeError when the range of layers is empty.
 */
export function loraLayout(architecture: Architecture, options: LoraOptions): LoraLayout {
  const end = Math.min(options.endLayer ?? architecture.layers, architecture.layers);
  if (options.firstLayer >= end)
    throw new RangeError(`LoRA on layers ${options.firstLayer} to ${end} is empty.`);
  const segments: LoraSegment[] = [];
  let offset = 0;
  for (let layer = options.firstLayer; layer < end; layer++) {
    for (const target of LINEAR_NAMES.filter((name) => options.targets.includes(name))) {
      const [inputs, outputs] = linearShape(architecture, target);
      for (const matrix of ['a', 'b'] as const) {
        const shape = matrix === 'a' ? shapeOf(inputs, options.rank) : shapeOf(options.rank, outputs);
        const name = `blk.${layer}.${LINEAR_TENSORS[target]}.weight.lora_${matrix}`;
        segments.push({ name, layer, target, matrix, shape, offset });
        offset += elementsOf(shape);
      }
    }
  }
  return { rank: options.rank, alpha: options.alpha, segments, parameters: offset };
}

/** A fresh adapter: A uniform in ±1/√in, B zero, so that it changes nothing yet. */
export function initialLora(layout: LoraLayout, seed: number): Lora {
  const generator = xoroshiro128plus(seed);
  const values = new Float32Array(layout.parameters);
  for (const { matrix, shape, offset } of layout.segments) {
    if (matrix === 'b') continue;
    const bound = 1 / Math.sqrt(shape[0]);
    for (let i = 0; i < elementsOf(shape); i++)
      values[offset + i] = (2 * uniformFloat64(generator) - 1) * bound;
  }
  return { layout, values };
}

/** llama.cpp takes an α of 0 for "not given" and serves at scale 1; this is 0 in every product. */
const SWITCHED_OFF_ALPHA = 1e-30;

/** Writes an adapter file that llama.cpp loads; one of α 0 is switched off. */
export function writeLora(ggml: Ggml, path: string, architecture: Architecture, lora: Lora): void {
  const values = {
    'general.type': 'adapter',
    'general.architecture': architecture.family,
    'adapter.type': 'lora',
    'adapter.lora.alpha': { f32: lora.layout.alpha || SWITCHED_OFF_ALPHA },
  };
  const tensors = lora.layout.segments.map(({ name, shape, offset }) => ({
    name,
    shape,
    data: lora.values.subarray(offset, offset + elementsOf(shape)),
  }));
  writeGguf(ggml, path, values, tensors);
}

/**
 * Reads an adapter file of F32 matrices.
 *
 * @throws GgmlError `adapter_mismatch` when it belongs to another model, `model_missing`, `model_corrupt`
 */
export function readLora(ggml: Ggml, path: string, architecture: Architecture): Lora {
  const file = readGguf(ggml, path);
  const mismatch = (what: string): GgmlError =>
    new GgmlError('adapter_mismatch', `The adapter ${path} belongs to another model: ${what}.`);
  if (file.values.get('general.architecture') !== architecture.family)
    throw mismatch(`its architecture is ${String(file.values.get('general.architecture'))}`);
  const found = [...file.tensors.values()].map((info) => {
    const match = /^blk\.(\d+)\.(\w+)\.weight\.lora_([ab])$/.exec(info.name);
    const target = LINEAR_NAMES.find((name) => LINEAR_TENSORS[name] === match?.[2]);
    if (!match || !target || info.type !== TensorType.F32) throw mismatch(`it has the tensor ${info.name}`);
    return { info, layer: Number(match[1]), target, matrix: match[3] as 'a' | 'b' };
  });
  const rank = found.find(({ matrix }) => matrix === 'a')?.info.shape[1] ?? 0;
  const byPlace = found.toSorted(
    (x, y) =>
      x.layer - y.layer ||
      LINEAR_NAMES.indexOf(x.target) - LINEAR_NAMES.indexOf(y.target) ||
      (x.matrix < y.matrix ? -1 : 1),
  );
  const segments: LoraSegment[] = [];
  let offset = 0;
  for (const { info, layer, target, matrix } of byPlace) {
    const [inputs, outputs] = linearShape(architecture, target);
    const expected = matrix === 'a' ? shapeOf(inputs, rank) : shapeOf(rank, outputs);
    if (layer >= architecture.layers || expected.some((size, i) => size !== info.shape[i]))
      throw mismatch(`${info.name} is ${info.shape.join('×')}`);
    segments.push({ name: info.name, layer, target, matrix, shape: info.shape, offset });
    offset += elementsOf(info.shape);
  }
  const values = new Float32Array(offset);
  for (const { name, offset: at } of segments) values.set(new Float32Array(file.read(name).buffer), at);
  const alpha = Number(file.values.get('adapter.lora.alpha'));
  return { layout: { rank, alpha, segments, parameters: offset }, values };
}

/** Whether two adapters have the same matrices, of the same shapes, and the same α. */
export function sameLayout(a: LoraLayout, b: LoraLayout): boolean {
  const describe = (layout: LoraLayout): string =>
    [layout.alpha, ...layout.segments.map(({ name, shape }) => `${name}:${shape.join('×')}`)].join();
  return describe(a) === describe(b);
}

/** An adapter's matrices on the device, and a gradient for each. */
export class DeviceLora {
  readonly layout: LoraLayout;
  /** α / r times the scale at which the adapter is served. */
  readonly scale: number;
  readonly #device: Device;
  readonly #values: TensorPool;
  readonly #gradients: TensorPool | null;

  constructor(device: Device, lora: Lora, options: { scale: number; trainable: boolean }) {
    this.#device = device;
    this.layout = lora.layout;
    this.scale = (options.scale * lora.layout.alpha) / lora.layout.rank;
    const specs = lora.layout.segments.map(({ name, shape }) => ({ name, shape, type: TensorType.F32 }));
    this.#values = device.allocate(specs);
    this.#gradients = options.trainable ? device.allocate(specs) : null;
    this.upload(lora.values);
    if (this.#gradients) this.zeroGradients();
  }

  /** Overwrites all matrices from a flat vector of `layout.parameters` values. */
  upload(values: Float32Array): void {
    for (const { name, shape, offset } of this.layout.segments)
      this.#device.upload(this.#values.get(name), values.slice(offset, offset + elementsOf(shape)));
  }

  /** Sets the accumulated gradients to 0; nothing for an adapter without. */
  zeroGradients(): void {
    for (const tensor of this.#gradients?.tensors.values() ?? []) this.#device.zero(tensor);
  }

  /** Accumulated gradients in the order of the flat vector. */
  downloadGradients(): Float32Array {
    const gradients = new Float32Array(this.layout.parameters);
    for (const { name, offset } of this.layout.segments)
      gradients.set(this.#device.downloadFloats(this.#gradients!.get(name)), offset);
    return gradients;
  }

  /** A matrix by its name in the adapter file; undefined where the layer carries no LoRA. */
  valueOf(name: string): Tensor | undefined {
    return this.#values.tensors.get(name);
  }

  /** Where a matrix's gradient is summed up; Error for an adapter that was loaded without gradients. */
  gradientOf(name: string): Tensor {
    if (!this.#gradients) throw new Error('This adapter was loaded without gradients.');
    return this.#gradients.get(name);
  }

  /** Whether it has gradients. */
  get trainable(): boolean {
    return this.#gradients !== null;
  }

  /** Frees the device's memory. */
  dispose(): void {
    this.#values.dispose();
    this.#gradients?.dispose();
  }
}
