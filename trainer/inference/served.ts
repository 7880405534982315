/** One adapter version with its own context: what was computed under one version is never seen by another. */
import type { LlamaContext, LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp';
import type { AdapterRef } from '../../extension/common/contracts/index.ts';
import { loraPath, type LoraFiles } from './loraFiles.ts';

export interface ContextOptions {
  contextTokens: number;
  /** Tokens evaluated at once; an abort acts between two batches. */
  batchTokens: number;
  threads: number;
  /**
   * Off on a CPU: there its sums are ten times less exact (up to 0.03 in a logit of the tests' models, and 1.1 in the
   * embedded one from 64 tokens at once), it is no faster on short prompts, and what it computes depends on the
   * number of tokens at once.
   */
  flashAttention: boolean;
}

/** Whether two are the same file at the same scale. */
export function sameAdapter(one: AdapterRef, other: AdapterRef): boolean {
  return one.version === other.version && one.path === other.path && one.scale === other.scale;
}

/** A context of one adapter version; it lives until it is retired and no request uses it. */
export class ServedAdapter {
  readonly adapter: AdapterRef;
  readonly sequence: LlamaContextSequence;
  private readonly context: LlamaContext;
  private readonly files: LoraFiles;
  private users = 0;
  private retired = false;
  private closed: Promise<void> | null = null;

  private constructor(adapter: AdapterRef, files: LoraFiles, context: LlamaContext) {
    this.adapter = adapter;
    this.files = files;
    this.context = context;
    this.sequence = context.getSequence();
  }

  static async open(
    model: LlamaModel,
    files: LoraFiles,
    adapter: AdapterRef,
    options: ContextOptions,
  ): Promise<ServedAdapter> {
    const path = loraPath(adapter);
    if (path !== null) files.take(path);
    let context: LlamaContext | undefined;
    try {
      context = await model.createContext({
        contextSize: options.contextTokens,
        batchSize: options.batchTokens,
        threads: options.threads,
        flashAttention: options.flashAttention,
        failedCreationRemedy: false,
        ...(path === null ? {} : { lora: { adapters: [{ filePath: path, scale: adapter.scale }] } }),
      });
      const served = new ServedAdapter(adapter, files, context);
      await served.warmUp(model);
      return served;
    } catch (error) {
      await context?.dispose();
      if (path !== null) await files.release(path);
      throw error;
    }
  }

  /** Reads the weights from the disk and lets llama.cpp lay out its graphs, so that the first request need not. */
  private async warmUp(model: LlamaModel): Promise<void> {
    const token = model.tokens.eos ?? model.tokens.bos ?? (0 as Token);
    await this.sequence.evaluateWithoutGeneratingNewTokens([token, token]);
    await this.sequence.clearHistory();
  }

  /** Keeps the context alive until the matching `release`. */
  use(): void {
    this.users++;
  }

  async release(): Promise<void> {
    this.users--;
    await this.closeWhenUnused();
  }

  /** No new request will come: the context goes when the last one ends. */
  async retire(): Promise<void> {
    this.retired = true;
    await this.closeWhenUnused();
  }

  private async closeWhenUnused(): Promise<void> {
    if (!this.retired || this.users > 0) return;
    this.closed ??= this.close();
    await this.closed;
  }

  private async close(): Promise<void> {
    await this.context.dispose();
    const path = loraPath(this.adapter);
    if (path !== null) await this.files.release(path);
  }
}
