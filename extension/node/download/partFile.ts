import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, statfs, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../json.ts';
import { DownloadError } from './downloadError.ts';

/** Left free beside the file: a full disk stops more than Hone. */
const RESERVE_BYTES = 256 * 2 ** 20;
const MEGABYTE = 1e6;

/** What is remembered about a part, to go on with it in another session. */
const noteSchema = z.looseObject({
  v: z.literal(1),
  /** Of the whole file. */
  sha256: z.string(),
  url: z.string(),
  etag: z.string().nullable(),
});

/**
 * The part of a file that has arrived, `<file>.part`, with the SHA-256 of its bytes so far. What a killed process
 * leaves is gone on with; a part of another file is not.
 */
export class PartFile {
  readonly #target: string;
  readonly #sha256: string;
  readonly #handle: FileHandle;
  #hash: Hash = createHash('sha256');
  #size = 0;
  #note: z.infer<typeof noteSchema>;

  private constructor(target: string, sha256: string, url: string, handle: FileHandle) {
    this.#target = target;
    this.#sha256 = sha256;
    this.#handle = handle;
    this.#note = { v: 1, sha256, url, etag: null };
  }

  /**
   * Opens what is there of the file, or begins it.
   *
   * @throws DownloadError `unwritable`
   */
  static async open(target: string, sha256: string, url: string, signal: AbortSignal): Promise<PartFile> {
    const path = partPath(target);
    const known = await readNote(path);
    let handle: FileHandle | undefined;
    try {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      handle = await open(path, 'a', 0o600);
      const part = new PartFile(target, sha256, url, handle);
      await part.#takeOver(known?.sha256 === sha256, known, signal);
      return part;
    } catch (error) {
      await handle?.close();
      throw writeError(path, error, signal);
    }
  }

  /** Bytes that have arrived. */
  get size(): number {
    return this.#size;
  }

  /** Tag of the file they are from, where it is still asked for at the same address. */
  get etag(): string | null {
    return this.#note.etag;
  }

  /** Forgets all bytes. */
  async restart(): Promise<void> {
    await this.#handle.truncate(0);
    this.#hash = createHash('sha256');
    this.#size = 0;
  }

  /** Remembers the tag of the file that the next bytes are from. */
  async remember(etag: string | null): Promise<void> {
    this.#note = { ...this.#note, etag };
    const file = await open(notePath(partPath(this.#target)), 'w', 0o600);
    await file.writeFile(JSON.stringify(this.#note)).finally(() => file.close());
  }

  /**
   * @throws DownloadError `no_space`, saying how much is missing: `needed` bytes are still to come.
   */
  async requireSpace(needed: number): Promise<void> {
    const folder = dirname(this.#target);
    const { bavail, bsize } = await statfs(folder);
    const missing = needed + RESERVE_BYTES - bavail * bsize;
    if (missing <= 0) return;
    throw noSpace(folder, `${megabytes(needed)} are needed and ${megabytes(missing)} more have to be free`);
  }

  /** @throws DownloadError `no_space`, `unwritable` */
  async append(chunk: Uint8Array): Promise<void> {
    try {
      await this.#handle.write(chunk);
    } catch (error) {
      throw writeError(partPath(this.#target), error);
    }
    this.#hash.update(chunk);
    this.#size += chunk.byteLength;
  }

  /**
   * Puts the file in its place when it is the one that was wanted; one that is not is deleted.
   *
   * @throws DownloadError `wrong_checksum`, `unwritable`
   */
  async finish(): Promise<void> {
    const found = this.#hash.copy().digest('hex');
    const path = partPath(this.#target);
    if (found !== this.#sha256) {
      await this.discard();
      throw new DownloadError(
        'wrong_checksum',
        `What was downloaded is damaged or another file: its SHA-256 is ${found}, and ${this.#sha256} was expected. It was deleted; try again, or change hone.models.mirror.`,
      );
    }
    try {
      await this.#handle.sync();
      await this.#handle.close();
      await rename(path, this.#target);
    } catch (error) {
      throw writeError(this.#target, error);
    }
    await rm(notePath(path), { force: true });
  }

  /** Keeps what has arrived for the next time. */
  async keep(): Promise<void> {
    await this.#handle.close();
    if (this.#size === 0) await this.#remove();
  }

  /** Deletes what has arrived. */
  async discard(): Promise<void> {
    await this.#handle.close();
    await this.#remove();
  }

  async #remove(): Promise<void> {
    const path = partPath(this.#target);
    await Promise.all([path, notePath(path)].map((file) => rm(file, { force: true })));
  }

  async #takeOver(
    same: boolean,
    known: z.infer<typeof noteSchema> | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (!same) return this.restart();
    for await (const chunk of createReadStream(partPath(this.#target), { signal })) {
      this.#hash.update(chunk as Buffer);
      this.#size += (chunk as Buffer).length;
    }
    if (known?.url === this.#note.url) this.#note = { ...this.#note, etag: known.etag };
  }
}

/** Where a file lies while it is not whole. */
export function partPath(target: string): string {
  return `${target}.part`;
}

/** Bytes of a file; 0: there is none. */
export async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

function notePath(part: string): string {
  return `${part}.json`;
}

async function readNote(part: string): Promise<z.infer<typeof noteSchema> | undefined> {
  const text = await readFile(notePath(part), 'utf8').catch(() => '');
  return noteSchema.safeParse(parseJson(text)).data;
}

function writeError(path: string, error: unknown, signal?: AbortSignal): unknown {
  if (error instanceof DownloadError || signal?.aborted) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return noSpace(dirname(path), 'it is full');
  return new DownloadError('unwritable', `${path} can't be written: ${message}.`, error);
}

function noSpace(folder: string, why: string): DownloadError {
  return new DownloadError(
    'no_space',
    `The disk that holds ${folder} has too little room: ${why}. Free some space and try again; what has arrived is kept.`,
  );
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / MEGABYTE)} MB`;
}
