/**
 * Adapter files in a model's memory. node-llama-cpp loads each once, shares it between contexts and keeps it until the
 * model is disposed, which over a day of updates only grows; it has no public way to let go of one.
 */
import { resolve } from 'node:path';
import type { LlamaModel } from 'node-llama-cpp';
import type { AdapterRef } from '../../extension/common/contracts/index.ts';
import type { Logger } from '../server/shared/logging.ts';

/** The one place where node-llama-cpp's inside is looked at: its table of loaded adapters, by full path. */
interface LoraKeeper {
  _loraAdapters?: Map<string, { dispose(): Promise<void> }>;
}

/** Counts the users of each adapter file and frees its memory when the last one has gone. */
export class LoraFiles {
  private readonly users = new Map<string, number>();
  private readonly model: LlamaModel;
  private readonly logger: Logger;

  constructor(model: LlamaModel, logger: Logger) {
    this.model = model;
    this.logger = logger;
  }

  /** To be called before a context is made with the file. */
  take(path: string): void {
    this.users.set(path, (this.users.get(path) ?? 0) + 1);
  }

  /** To be called after the context is gone; the last user's release frees the memory. */
  async release(path: string): Promise<void> {
    const left = (this.users.get(path) ?? 1) - 1;
    if (left > 0) {
      this.users.set(path, left);
      return;
    }
    this.users.delete(path);
    const keeper = (this.model as unknown as LoraKeeper)._loraAdapters;
    const lora = keeper?.get(path);
    if (keeper === undefined) {
      this.logger.warn({ path }, 'The memory of an adapter that is no longer served could not be freed.');
    }
    keeper?.delete(path);
    await lora?.dispose();
  }
}

/** Full path of the file to load, or null for the base model: scale 0 is the base, and loads nothing. */
export function loraPath(adapter: AdapterRef): string | null {
  return adapter.scale === 0 || adapter.path === null ? null : resolve(adapter.path);
}
