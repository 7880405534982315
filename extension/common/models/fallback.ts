/** Why the model that was chosen doesn't serve, and the embedded one does. */

/** The companion had no last word: llama.cpp ended it, or the system did for want of memory. */
export const CRASHED = 'crashed';

/** By the code of the error, as in docs/errors.md; a failure with another code is not the model's. */
export const MODEL_FAILURES: Record<string, string> = {
  model_missing: 'there is no such file',
  model_corrupt: 'the file is damaged or no GGUF file',
  model_unsupported: 'it is of a family that Hone does not serve',
  memory_limit: 'it would take more memory than hone.companion.memoryLimitMb allows',
  [CRASHED]: 'the companion broke down while it loaded it, for want of memory perhaps',
};

/** Sentences for people: what is wrong, what serves instead, what to do. */
export function fallbackSentence(modelPath: string, code: string): string {
  const why = MODEL_FAILURES[code] ?? code;
  const which = modelPath === '' ? 'The chosen model' : `The model ${modelPath}`;
  return `${which} could not be loaded: ${why}. The embedded model serves in its place. Choose another with "Hone: Select Model…", or correct this one and use "Hone: Restart Companion".`;
}
