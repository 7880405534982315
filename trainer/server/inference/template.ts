import type { ModelInfo } from '../../inference/types.ts';

/** Family and order of the model's fill-in-the-middle template, for people and for keys. */
export function describeTemplate({ fim }: Pick<ModelInfo, 'fim'>): string {
  return fim === null ? 'none' : `${fim.family}, ${fim.order}`;
}
