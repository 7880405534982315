import type { Pointer } from './functions.ts';

/** Element types by their number in ggml and GGUF files. */
export const TensorType = {
  F32: 0,
  F16: 1,
  Q4_0: 2,
  Q4_1: 3,
  Q5_0: 6,
  Q5_1: 7,
  Q8_0: 8,
  I32: 26,
  BF16: 30,
} as const;

/** Sizes of the four dimensions, the fastest-varying first. */
export type Shape = readonly [number, number, number, number];

/** A native tensor, with the facts that are checked before each native call. */
export interface Tensor {
  readonly pointer: Pointer;
  readonly type: number;
  readonly shape: Shape;
}

/** Four dimensions from one to four sizes; those that are left out are 1. */
export function shapeOf(...sizes: number[]): Shape {
  return [sizes[0] ?? 1, sizes[1] ?? 1, sizes[2] ?? 1, sizes[3] ?? 1];
}

/** Number of elements: the product of the dimensions. */
export function elementsOf(shape: Shape): number {
  return shape[0] * shape[1] * shape[2] * shape[3];
}

/** Whether all four dimensions are equal. */
export function sameShape(a: Shape, b: Shape): boolean {
  return a.every((size, i) => size === b[i]);
}

/** Whether `b` can be repeated to the shape of `a`. */
export function repeatable(b: Shape, a: Shape): boolean {
  return a.every((size, i) => size % b[i]! === 0);
}
