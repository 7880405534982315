import { GgmlError } from '../ggml/errors.ts';
import type { GgufFile } from '../ggml/gguf.ts';

/** Linear layers of a transformer block, by the name they have in LoRA configurations. */
export const LINEAR_NAMES = ['q', 'k', 'v', 'o', 'gate', 'up', 'down'] as const;
export type LinearName = (typeof LINEAR_NAMES)[number];

/** Name of each linear layer's tensors in a GGUF file. */
export const LINEAR_TENSORS: Record<LinearName, string> = {
  q: 'attn_q',
  k: 'attn_k',
  v: 'attn_v',
  o: 'attn_output',
  gate: 'ffn_gate',
  up: 'ffn_up',
  down: 'ffn_down',
};

/** Dimensions and settings of a decoder-only transformer, read from the file. */
export interface Architecture {
  family: 'llama' | 'qwen2';
  layers: number;
  width: number;
  heads: number;
  kvHeads: number;
  headSize: number;
  feedForward: number;
  vocabulary: number;
  contextTokens: number;
  /** ε of the RMS norms. */
  epsilon: number;
  rope: { dimensions: number; mode: 0 | 2; base: number; scale: number };
}

const FAMILIES: Record<string, { family: Architecture['family']; ropeMode: 0 | 2 }> = {
  llama: { family: 'llama', ropeMode: 0 },
  qwen2: { family: 'qwen2', ropeMode: 2 },
};
const BLOCK_TENSORS = new Set([
  'attn_norm.weight',
  'ffn_norm.weight',
  ...Object.values(LINEAR_TENSORS).flatMap((name) => [`${name}.weight`, `${name}.bias`]),
]);
const OUTER_TENSORS = new Set([
  'token_embd.weight',
  'output_norm.weight',
  'output.weight',
  'rope_freqs.weight',
]);

/**
 * Reads the architecture of a model file.
 *
 * @throws GgmlError `architecture_unsupported`, naming what is not supported; `model_corrupt` for a missing key.
 */
export function readArchitecture(file: GgufFile): Architecture {
  const name = String(file.values.get('general.architecture') ?? 'unknown');
  const known = FAMILIES[name];
  if (!known)
    throw unsupported(
      file,
      `architecture "${name}"; Hone trains ${Object.keys(FAMILIES).join(' and ')} models`,
    );
  const number = (key: string, fallback?: number): number => {
    const value = file.values.get(`${name}.${key}`) ?? fallback;
    if (typeof value === 'number') return value;
    throw new GgmlError('model_corrupt', `${file.path} lacks the key ${name}.${key}. Fetch the model again.`);
  };
  if (number('expert_count', 0) > 0) throw unsupported(file, 'a mixture of experts');
  const scaling = file.values.get(`${name}.rope.scaling.type`) ?? 'none';
  if (scaling !== 'none' && scaling !== 'linear')
    throw unsupported(file, `rope scaling "${String(scaling)}"`);
  refuseUnknownTensors(file);

  const heads = number('attention.head_count');
  const width = number('embedding_length');
  const headSize = number('attention.key_length', width / heads);
  return {
    family: known.family,
    layers: number('block_count'),
    width,
    heads,
    kvHeads: number('attention.head_count_kv', heads),
    headSize,
    feedForward: number('feed_forward_length'),
    vocabulary: file.tensors.get('token_embd.weight')?.shape[1] ?? 0,
    contextTokens: number('context_length'),
    epsilon: number('attention.layer_norm_rms_epsilon'),
    rope: {
      dimensions: number('rope.dimension_count', headSize),
      mode: known.ropeMode,
      base: number('rope.freq_base', 10_000),
      scale: scaling === 'linear' ? 1 / number('rope.scaling.factor', 1) : 1,
    },
  };
}

/** Sizes [in, out] of a linear layer. */
export function linearShape(architecture: Architecture, name: LinearName): [number, number] {
  const { width, heads, kvHeads, headSize, feedForward } = architecture;
  const shapes: Record<LinearName, [number, number]> = {
    q: [width, heads * headSize],
    k: [width, kvHeads * headSize],
    v: [width, kvHeads * headSize],
    o: [heads * headSize, width],
    gate: [width, feedForward],
    up: [width, feedForward],
    down: [feedForward, width],
  };
  return shapes[name];
}

function refuseUnknownTensors(file: GgufFile): void {
  for (const name of file.tensors.keys()) {
    const inBlock = /^blk\.\d+\.(.+)$/.exec(name)?.[1];
    if (!(inBlock ? BLOCK_TENSORS.has(inBlock) : OUTER_TENSORS.has(name)))
      throw unsupported(file, `the tensor ${name}`);
  }
}

function unsupported(file: GgufFile, what: string): GgmlError {
  return new GgmlError(
    'architecture_unsupported',
    `${file.path} has ${what}, which Hone cannot train. Choose another model, or serve it with --no-train.`,
  );
}
