/** One adapter version with its own context: what was computed under one version is never seen by another. */
import { resolve } from 'node:path';
import type { LlamaContext, LlamaContextSequence, LlamaModel } from 'node-llama-cpp';
import type { AdapterRef } from '../../extension/common/contracts/index.ts';
import type { Logger } from '../server/shared/logging.ts';

export interface ContextOptions {
  contextTokens: number;
  /** Tokens evaluated at once; an abort acts between two batches. */
  batchTokens: number;
  threads: number;
}

export class ServedAdapter {
  readonly adapter: AdapterRef;
  readonly sequence: LlamaContextSequence;
  private readonly context: LlamaContext;
  private readonly model: LlamaModel;
  private readonly logger: Logger;
  private users = 0;
  private retired = false;
  private closed: Promise<void> | null = null;

  private constructor(adapter: AdapterRef, model: LlamaModel, context: LlamaContext, logger: Logger) {
    this.adapter = adapter;
    this.model = model;
    this.context = context;
    this.logger = logger;
    this.sequence = context.getSequence();
  }

  static async open(
    model: LlamaModel,
    adapter: AdapterRef,
    options: ContextOptions,
    logger: Logger,
  ): Promise<ServedAdapter> {
    const path = loraPath(adapter);
    const context = await model.createContext({
      contextSize: options.contextTokens,
      batchSize: options.batchTokens,
      threads: options.threads,
      failedCreationRemedy: false,
      ...(path === null ? {} : { lora: { adapters: [{ filePath: path, scale: adapter.scale }] } }),
    });
    return new ServedAdapter(adapter, model, context, logger);
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
    if (path !== null) await freeLora(this.model, path, this.logger);
  }
}

/** Scale 0 is the base model: the adapter is not loaded at all. */
function loraPath(adapter: AdapterRef): string | null {
  return adapter.scale === 0 || adapter.path === null ? null : resolve(adapter.path);
}

/** What node-llama-cpp keeps of adapters inside a model; it has no public way to let go of one. */
interface LoraKeeper {
  _loraAdapters?: Map<string, { dispose(): Promise<void> }>;
}

/**
 * Frees an adapter's memory. node-llama-cpp keeps every adapter until its model is disposed, which over a day of
 * updates only grows; its own table is the one place to get at them.
 */
async function freeLora(model: LlamaModel, path: string, logger: Logger): Promise<void> {
  const keeper = (model as unknown as LoraKeeper)._loraAdapters;
  const lora = keeper?.get(path);
  if (keeper === undefined || lora === undefined) {
    logger.warn({ path }, 'The memory of an adapter that is no longer served could not be freed.');
    return;
  }
  keeper.delete(path);
  await lora.dispose();
}
