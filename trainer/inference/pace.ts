/** How much is computed at once and with how many threads: a keystroke that cancels must not wait. */
import type { Backend } from './llama.ts';

const MEGABYTE = 1e6;
const SMALL_MODEL_BYTES = 200 * MEGABYTE;
const MEDIUM_MODEL_BYTES = 1000 * MEGABYTE;
const GPU_BATCH_TOKENS = 512;

/** Lengths and threads of the pieces in which one model is evaluated. */
export class Pace {
  /** Most tokens that are evaluated at once. */
  readonly batchTokens: number;
  private readonly backend: Backend;
  private readonly small: boolean;
  private readonly steady: boolean;

  /**
   * @param modelBytes size of the model file; the larger the model, the fewer tokens take 100 ms
   * @param steady always the same pieces and threads, whatever other programs do: a sum's rounding depends on both
   */
  constructor(backend: Backend, modelBytes: number, steady: boolean) {
    this.backend = backend;
    this.steady = steady;
    this.small = modelBytes <= SMALL_MODEL_BYTES;
    this.batchTokens = backend.device === 'cpu' ? cpuBatch(modelBytes) : GPU_BATCH_TOKENS;
  }

  /** Sets the threads for a piece of the prompt, the cores that are free now, and returns its length in tokens. */
  beforePrompt(): number {
    if (this.backend.device !== 'cpu') return this.batchTokens;
    const { threads } = this;
    this.backend.llama.maxThreads = threads;
    return threads === 1 ? this.batchTokens / 2 : this.batchTokens;
  }

  /**
   * Sets the threads for one token. A small model gets one: its products are so short that a second thread costs more
   * in waiting than it computes (measured with the embedded model: 15 ms a token with one thread, 20 with two).
   */
  beforeToken(): void {
    if (this.backend.device !== 'cpu') return;
    this.backend.llama.maxThreads = this.small ? 1 : this.threads;
  }

  private get threads(): number {
    return this.steady ? this.backend.threads : this.backend.freeCores.count;
  }
}

function cpuBatch(modelBytes: number): number {
  if (modelBytes <= SMALL_MODEL_BYTES) return 64;
  return modelBytes <= MEDIUM_MODEL_BYTES ? 32 : 16;
}
