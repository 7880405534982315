import { existsSync } from 'node:fs';
import { GgmlError } from '../ggml/errors.ts';
import { readGguf, writeGguf } from '../ggml/gguf.ts';
import type { Ggml } from '../ggml/library.ts';
import { shapeOf } from '../ggml/tensor.ts';
import { initialAdamW, type AdamWState } from './adamw.ts';

/** Suffix of the file with the optimizer's moments, beside its adapter. */
const SUFFIX = '.adamw';

export interface ReadOptimizer {
  state: AdamWState;
  /** Saved moments were there and couldn't be used: damaged, not finite, or of another shape. */
  restarted: boolean;
}

/**
 * Moments saved with an adapter, or fresh ones. Moments only speed learning up, so a damaged file costs a few steps'
 * worth of it and doesn't end it.
 */
export function readOptimizer(ggml: Ggml, adapterPath: string | null, parameters: number): ReadOptimizer {
  const fresh = initialAdamW(parameters);
  if (adapterPath === null || !existsSync(adapterPath + SUFFIX)) return { state: fresh, restarted: false };
  try {
    const file = readGguf(ggml, adapterPath + SUFFIX);
    const floats = (name: string): Float32Array => new Float32Array(file.read(name).buffer);
    const state = { step: Number(file.values.get('step')), m: floats('m'), v: floats('v') };
    return isUsable(state, parameters) ? { state, restarted: false } : { state: fresh, restarted: true };
  } catch (error) {
    // A tensor of another type is no whole number of floats: a RangeError.
    if (!(error instanceof GgmlError || error instanceof RangeError)) throw error;
    return { state: fresh, restarted: true };
  }
}

function isUsable({ step, m, v }: AdamWState, parameters: number): boolean {
  if (!Number.isSafeInteger(step) || m.length !== parameters || v.length !== parameters) return false;
  return m.every(Number.isFinite) && v.every(Number.isFinite);
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
