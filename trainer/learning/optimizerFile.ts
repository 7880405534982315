import { existsSync } from 'node:fs';
import { readGguf, writeGguf } from '../ggml/gguf.ts';
import type { Ggml } from '../ggml/library.ts';
import { shapeOf } from '../ggml/tensor.ts';
import { initialAdamW, type AdamWState } from './adamw.ts';

/** Suffix of the file with the optimizer's moments, beside its adapter. */
const SUFFIX = '.adamw';

/** Moments saved with an adapter; fresh ones when there are none, or they are of another shape. */
export function readOptimizer(ggml: Ggml, adapterPath: string | null, parameters: number): AdamWState {
  if (adapterPath === null || !existsSync(adapterPath + SUFFIX)) return initialAdamW(parameters);
  const file = readGguf(ggml, adapterPath + SUFFIX);
  const floats = (name: string): Float32Array => new Float32Array(file.read(name).buffer);
  const [m, v] = [floats('m'), floats('v')];
  return m.length === parameters ? { step: Number(file.values.get('step')), m, v } : initialAdamW(parameters);
}

/**
 * Writes the moments beside their adapter, whole or not at all.
 *
 * @throws GgmlError `write_failed`
 */
export function writeOptimizer(ggml: Ggml, adapterPath: string, state: AdamWState): void {
  const tensor = (
    name: string,
    data: Float32Array,
  ): { name: string; shape: ReturnType<typeof shapeOf>; data: Float32Array } => ({
    name,
    shape: shapeOf(data.length),
    data,
  });
  writeGguf(ggml, adapterPath + SUFFIX, { step: { u32: state.step } }, [
    tensor('m', state.m),
    tensor('v', state.v),
  ]);
}
