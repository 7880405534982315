import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { CATALOGUE, modelUrl, type CatalogueModel } from '../../common/models/catalogue.ts';
import { download } from '../download/download.ts';
import { partPath, sizeOf } from '../download/partFile.ts';
import type { DownloadProgress } from '../download/rate.ts';

const MAGIC = Buffer.from('GGUF');

/** How much of a model is on the disk. */
export type ModelPresence = { kind: 'whole' } | { kind: 'part'; bytes: number } | { kind: 'none' };

interface FetchOptions {
  mirror: string;
  connections: Dispatcher;
  signal: AbortSignal;
  onProgress: (progress: DownloadProgress) => void;
  log: (message: string) => void;
}

/** The folder of downloaded models. */
export class ModelStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Where a model's file is, or will be. */
  pathOf({ id }: CatalogueModel): string {
    return join(this.#folder, `${id}.gguf`);
  }

  /** The catalogue's model whose file lies at the path; null: none. */
  modelAt(path: string): CatalogueModel | null {
    return CATALOGUE.find((model) => this.pathOf(model) === path) ?? null;
  }

  async presence(model: CatalogueModel): Promise<ModelPresence> {
    const path = this.pathOf(model);
    if ((await sizeOf(path)) > 0) return { kind: 'whole' };
    const bytes = await sizeOf(partPath(path));
    return bytes > 0 ? { kind: 'part', bytes } : { kind: 'none' };
  }

  /**
   * Downloads a model, or goes on with one, and resolves with the path of its file.
   *
   * @throws DownloadError
   */
  async fetch(model: CatalogueModel, { mirror, ...options }: FetchOptions): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const target = this.pathOf(model);
    await download({
      ...options,
      target,
      url: modelUrl(model, mirror),
      sha256: model.sha256,
      bytes: model.bytesExact ? model.bytes : null,
      magic: MAGIC,
    });
    return target;
  }
}
