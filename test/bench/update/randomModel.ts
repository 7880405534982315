/** Model files of published shapes with random weights: as slow as the real ones, and needing no download. */
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { encodeValues, writeGguf, type LazyTensor, type TensorType } from '../../fixtures/ggufWriter.ts';

interface ModelShape {
  layers: number;
  width: number;
  heads: number;
  kvHeads: number;
  feedForward: number;
  vocabulary: number;
}

/** Of the models' own configuration files. */
export const SHAPES = {
  'qwen2.5-coder-0.5b': {
    layers: 24,
    width: 896,
    heads: 14,
    kvHeads: 2,
    feedForward: 4864,
    vocabulary: 151_936,
  },
  'qwen2.5-coder-1.5b': {
    layers: 28,
    width: 1536,
    heads: 12,
    kvHeads: 2,
    feedForward: 8960,
    vocabulary: 151_936,
  },
} satisfies Record<string, ModelShape>;
export type ShapeName = keyof typeof SHAPES;

/** Values that are drawn once and repeated: what they are makes no difference to the time. */
const DRAWN = 1 << 16;

/** Writes a `qwen2` file with F16 matrices, biases on q, k and v, and a tied head; without a vocabulary's texts. */
export function writeRandomModel(path: string, name: ShapeName): void {
  const shape = SHAPES[name];
  const { layers, width, heads, kvHeads, feedForward, vocabulary } = shape;
  const kvWidth = (width / heads) * kvHeads;
  const tensors = [matrix('token_embd.weight', width, vocabulary), vector('output_norm.weight', width, 1)];
  for (let layer = 0; layer < layers; layer++) {
    const at = (part: string): string => `blk.${layer}.${part}`;
    tensors.push(
      vector(at('attn_norm.weight'), width, 1),
      vector(at('ffn_norm.weight'), width, 1),
      matrix(at('attn_q.weight'), width, width),
      vector(at('attn_q.bias'), width, 0),
      matrix(at('attn_k.weight'), width, kvWidth),
      vector(at('attn_k.bias'), kvWidth, 0),
      matrix(at('attn_v.weight'), width, kvWidth),
      vector(at('attn_v.bias'), kvWidth, 0),
      matrix(at('attn_output.weight'), width, width),
      matrix(at('ffn_gate.weight'), width, feedForward),
      matrix(at('ffn_up.weight'), width, feedForward),
      matrix(at('ffn_down.weight'), feedForward, width),
    );
  }
  const number = (value: number) => ({ type: 'u32' as const, value });
  writeGguf(
    path,
    {
      'general.architecture': { type: 'string', value: 'qwen2' },
      'qwen2.block_count': number(layers),
      'qwen2.context_length': number(32_768),
      'qwen2.embedding_length': number(width),
      'qwen2.feed_forward_length': number(feedForward),
      'qwen2.attention.head_count': number(heads),
      'qwen2.attention.head_count_kv': number(kvHeads),
      'qwen2.attention.layer_norm_rms_epsilon': { type: 'f32', value: 1e-6 },
      'qwen2.rope.freq_base': { type: 'f32', value: 1_000_000 },
    },
    tensors,
  );
}

function matrix(name: string, inputs: number, outputs: number): LazyTensor {
  return {
    name,
    dimensions: [inputs, outputs],
    type: 'f16',
    data: () => repeated('f16', inputs * outputs, inputs),
  };
}

function vector(name: string, size: number, value: number): LazyTensor {
  const data = (): Uint8Array => encodeValues('f32', new Float32Array(size).fill(value));
  return { name, dimensions: [size], type: 'f32', data };
}

/** Bytes of `count` values of variance 1 / `inputs`. */
function repeated(type: TensorType, count: number, inputs: number): Uint8Array {
  const generator = xoroshiro128plus(inputs);
  const width = Math.sqrt(12 / inputs);
  const drawn = encodeValues(
    type,
    Float32Array.from({ length: DRAWN }, () => (uniformFloat64(generator) - 0.5) * width),
  );
  const bytes = new Uint8Array(count * (drawn.length / DRAWN));
  for (let at = 0; at < bytes.length; at += drawn.length)
    bytes.set(drawn.subarray(0, Math.min(drawn.length, bytes.length - at)), at);
  return bytes;
}
