import { createLogger } from '../server/shared/logging.ts';
import { closeBackend, openBackend } from './llama.ts';
import { corruptModel, readModelFile } from './modelFile.ts';
import { Vocabulary } from './vocabulary.ts';

/** A model's vocabulary alone: it is opened in a moment, and nothing can be generated with it. */
export interface Tokenizer {
  vocabulary: Vocabulary;
  close: () => Promise<void>;
}

/**
 * Reads the vocabulary of a model file.
 *
 * @throws HoneError `model_missing`, `model_corrupt`, `model_unsupported`, `fim_template_unfit`
 */
export async function openTokenizer(path: string, fimTemplate: string): Promise<Tokenizer> {
  const info = await readModelFile(path);
  const backend = await openBackend('cpu', 1, createLogger('error'));
  try {
    const model = await backend.llama
      .loadModel({ modelPath: path, vocabOnly: true, gpuLayers: 0 })
      .catch((error: unknown) => Promise.reject(corruptModel(path, error)));
    return { vocabulary: new Vocabulary(model, info, fimTemplate), close: () => closeBackend(backend) };
  } catch (error) {
    await closeBackend(backend);
    throw error;
  }
}
