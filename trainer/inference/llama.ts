/** Loads llama.cpp through node-llama-cpp's prebuilt binaries; nothing is ever built or downloaded. */
import { availableParallelism } from 'node:os';
import { getLlama, LlamaLogLevel, NoBinaryFoundError, type Llama } from 'node-llama-cpp';
import { FreeCores } from './freeCores.ts';
import { HoneError } from '../server/shared/errors.ts';
import type { Logger } from '../server/shared/logging.ts';

export type GpuChoice = 'auto' | 'cpu' | 'cuda' | 'vulkan' | 'metal';

/** The back end, and how many threads it may compute with: ggml's threads spin, so never more than physical cores. */
export interface Backend {
  llama: Llama;
  /** Most threads. */
  threads: number;
  freeCores: FreeCores;
  /** What is computed on in the end. */
  device: 'cpu' | 'cuda' | 'vulkan' | 'metal';
  /** Null: it has no memory of its own. */
  gpuMemoryBytes: number | null;
}

/** `threads` absent: the physical cores that this process may use. */
export async function openBackend(
  gpu: GpuChoice,
  threads: number | undefined,
  logger: Logger,
): Promise<Backend> {
  const llama = await getPrebuilt(gpu, logger);
  const cores = Math.max(1, Math.min(llama.cpuMathCores, availableParallelism()));
  const used = threads ?? cores;
  llama.maxThreads = used;
  const device = (await hasGpu(llama)) ? (llama.gpu as Exclude<Backend['device'], 'cpu'>) : 'cpu';
  if (gpu === 'auto') logger.info({ device }, `Computing on ${device}.`);
  const gpuMemoryBytes = device === 'cpu' ? null : (await llama.getVramState()).total;
  return { llama, threads: used, freeCores: new FreeCores(used), device, gpuMemoryBytes };
}

async function getPrebuilt(gpu: GpuChoice, logger: Logger): Promise<Llama> {
  let llama: Llama;
  try {
    llama = await getLlama({
      gpu: gpu === 'cpu' ? false : gpu,
      build: 'never',
      skipDownload: true,
      progressLogs: false,
      logLevel: LlamaLogLevel.warn,
      logger: (level, message) => forward(logger, level, message),
    });
  } catch (error) {
    if (!(error instanceof NoBinaryFoundError)) throw error;
    if (gpu !== 'auto' && gpu !== 'cpu') throw unavailable(gpu, error);
    throw new HoneError(
      'llama_unavailable',
      `No llama.cpp binary runs on this machine (${process.platform}-${process.arch}). Run npm install on this machine; on Linux a glibc system is needed.`,
      { cause: error },
    );
  }
  if (gpu === 'auto') return llama;
  if (gpu === 'cpu' ? llama.gpu === false : llama.gpu === gpu && (await hasGpu(llama))) return llama;
  // Asked for what the platform has not, node-llama-cpp takes another back end without a word.
  await llama.dispose();
  throw unavailable(gpu);
}

/** A computer can have the library of a GPU's interface and no GPU: then llama.cpp computes on the processor. */
async function hasGpu(llama: Llama): Promise<boolean> {
  return llama.gpu !== false && (await llama.getGpuDeviceNames()).length > 0;
}

function unavailable(gpu: GpuChoice, cause?: unknown): HoneError {
  return new HoneError(
    'gpu_unavailable',
    `The back end "${gpu}" does not run on this machine: its driver or its package is missing. Install the driver, or start with --gpu auto or --gpu cpu.`,
    { param: '--gpu', cause },
  );
}

function forward(logger: Logger, level: LlamaLogLevel, message: string): void {
  const text = message.trimEnd();
  if (level === LlamaLogLevel.fatal || level === LlamaLogLevel.error)
    logger.error({ source: 'llama.cpp' }, text);
  else if (level === LlamaLogLevel.warn) logger.warn({ source: 'llama.cpp' }, text);
  else logger.debug({ source: 'llama.cpp' }, text);
}

/** Ends the sampling of free cores, then llama.cpp. */
export async function closeBackend(backend: Backend): Promise<void> {
  backend.freeCores.close();
  await backend.llama.dispose();
}
