/** What llama.cpp finds on this computer, and what a model file is, without loading the weights. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { createLogger } from '../server/shared/logging.ts';
import { closeBackend, openBackend, type GpuChoice } from './llama.ts';
import { hashModelFile, readModelFile } from './modelFile.ts';
import { whyUntrainable } from './modelSizes.ts';
import { openTokenizer } from './tokenizer.ts';

export interface LlamaReport {
  /** Release of llama.cpp: b and a number. */
  build: string;
  device: 'cpu' | 'cuda' | 'vulkan' | 'metal';
  gpus: string[];
}

export interface ModelFacts {
  name: string;
  architecture: string;
  bytes: number;
  /** Tokens that it was trained on. */
  contextTokens: number;
  sha256: string;
  /** Family and order of the fill-in-the-middle template; null: the prefix alone. */
  fim: string | null;
  /** Why it can be served and not learned with; null: it can. */
  untrainable: string | null;
}

/** @throws HoneError `gpu_unavailable`, `llama_unavailable` */
export async function lookAtLlama(gpu: GpuChoice): Promise<LlamaReport> {
  const backend = await openBackend(gpu, 1, createLogger('silent'));
  try {
    const { llama, device } = backend;
    return { build: llama.llamaCppRelease.release, device, gpus: await llama.getGpuDeviceNames() };
  } finally {
    await closeBackend(backend);
  }
}

/** @throws HoneError `model_missing`, `model_corrupt`, `model_unsupported`, `fim_template_unfit` */
export async function lookAtModel(path: string, fimTemplate: string): Promise<ModelFacts> {
  const info = await readModelFile(path);
  const { vocabulary, close } = await openTokenizer(path, fimTemplate);
  const { fim } = vocabulary;
  await close();
  return {
    name: info.metadata.general.name ?? basename(path, '.gguf'),
    architecture: info.metadata.general.architecture,
    bytes: statSync(path).size,
    contextTokens: info.architectureMetadata.context_length ?? 0,
    sha256: await hashModelFile(path, null),
    fim: fim === null ? null : `${fim.family}, ${fim.order}`,
    untrainable: whyUntrainable(path, info),
  };
}
