/** How much memory a model takes, before it is loaded. */

/** What decides it. */
export interface ModelSizes {
  /** Of the file. */
  bytes: number;
  parameters: number;
  /** Of the head, which is the embedding where the file has no other. */
  headParameters: number;
  /** Of the key-value cache, at 16 bits. */
  cacheBytesPerToken: number;
}

/** Graphs, vocabulary and llama.cpp itself. */
const OVERHEAD_BYTES = 300 * 2 ** 20;
/** The learner trains the top third of the layers and keeps their transpose and the head's, four bytes a weight. */
const TRAINED_SHARE = 1 / 3;
const TRANSPOSED_BYTES = 4;

/** Bytes of serving a model with so large a context, and what the learner's own copy of it takes while it learns. */
export function memoryNeeded(
  { bytes, parameters, headParameters, cacheBytesPerToken }: ModelSizes,
  contextTokens: number,
): { serving: number; learning: number } {
  return {
    serving: bytes + cacheBytesPerToken * contextTokens + OVERHEAD_BYTES,
    learning: bytes + (parameters * TRAINED_SHARE + headParameters) * TRANSPOSED_BYTES,
  };
}

/** `1.2 GB`, as disks and downloads are counted. */
export function gigabytes(bytes: number): string {
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
