/** What a model file's metadata says about the memory that it takes and about what can be learned with it. */
import { statSync } from 'node:fs';
import type { GgufFileInfo } from 'node-llama-cpp';
import type { ModelSizes } from '../../extension/common/models/memory.ts';
import { GgmlError } from '../ggml/errors.ts';
import type { GgufFile } from '../ggml/gguf.ts';
import { readArchitecture } from '../model/architecture.ts';

/** Keys and values, two bytes each. */
const CACHE_BYTES = 2 * 2;

/** Sizes of a model, from its file alone. */
export function modelSizes(path: string, info: GgufFileInfo): ModelSizes {
  const { block_count = 0, embedding_length = 0, attention } = info.architectureMetadata;
  const heads = numberOf(attention?.head_count, 1);
  const kvHeads = numberOf(attention?.head_count_kv, heads);
  const headSize = numberOf(attention?.key_length, embedding_length / heads);
  const counts = new Map(
    (info.fullTensorInfo ?? []).map(({ name, dimensions }) => [name, product(dimensions)]),
  );
  return {
    bytes: statSync(path).size,
    parameters: [...counts.values()].reduce((sum, count) => sum + count, 0),
    headParameters: counts.get('output.weight') ?? counts.get('token_embd.weight') ?? 0,
    cacheBytesPerToken: block_count * kvHeads * headSize * CACHE_BYTES,
  };
}

/** Why the learner refuses the model; null: it takes it. */
export function whyUntrainable(path: string, info: GgufFileInfo): string | null {
  const tensors = (info.fullTensorInfo ?? []).map(({ name, dimensions }) => {
    const [rows = 1, columns = 1, ...rest] = dimensions.map(Number);
    return [name, { name, shape: [rows, columns, rest[0] ?? 1, rest[1] ?? 1] }] as const;
  });
  const file = {
    path,
    values: new Map(scalars('', info.metadata)),
    tensors: new Map(tensors),
  };
  try {
    readArchitecture(file as unknown as GgufFile);
    return null;
  } catch (error) {
    if (error instanceof GgmlError) return error.message;
    throw error;
  }
}

/** Nested metadata as `a.b.c` and its value; arrays are left out. */
function* scalars(
  prefix: string,
  value: Record<string, unknown>,
): Generator<[string, string | number | boolean]> {
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'bigint') yield [prefix + key, Number(inner)];
    else if (typeof inner === 'string' || typeof inner === 'number' || typeof inner === 'boolean')
      yield [prefix + key, inner];
    else if (typeof inner === 'object' && inner !== null && !Array.isArray(inner))
      yield* scalars(`${prefix}${key}.`, inner as Record<string, unknown>);
  }
}

/** Some models list a number for each layer: the largest counts. */
function numberOf(value: unknown, fallback: number): number {
  if (Array.isArray(value)) return Math.max(...value.map(Number));
  return value === undefined ? fallback : Number(value);
}

function product(dimensions: readonly (number | bigint)[]): number {
  return dimensions.reduce<number>((total, size) => total * Number(size), 1);
}
