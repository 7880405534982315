/** Fetches one file whose SHA-256 is known: whole or not at all, and never twice what has arrived already. */
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { ask, type Answer } from './answer.ts';
import { DownloadError } from './downloadError.ts';
import { withDownloadLock } from './downloadLock.ts';
import { PartFile, partPath, sizeOf } from './partFile.ts';
import { Rate, type DownloadProgress } from './rate.ts';

export interface DownloadOptions {
  url: string;
  /** Where the file is put; what has arrived of it lies beside it, in `<target>.part`. */
  target: string;
  /** Of the file, hex. */
  sha256: string;
  /** Of the file; null: the server's word is taken. */
  bytes: number | null;
  /** What the file begins with. */
  magic: Uint8Array;
  connections: Dispatcher;
  signal: AbortSignal;
  onProgress: (progress: DownloadProgress) => void;
  log: (message: string) => void;
  /** Pause before the first new try, doubled each time. */
  retryMs?: number;
}

const RETRY_MS = 1000;
/** Tries in a row that bring nothing new. */
const TRIES_MAX = 5;
const PROGRESS_INTERVAL_MS = 250;

/**
 * Resolves when the file is in its place. One that is there already is taken as it is: it was put there by this
 * function, whole. Another window that fetches it is waited for, and gone on from when it gives up.
 *
 * @throws DownloadError; what has arrived is kept for the next time, but for what is not the file.
 */
export async function download(options: DownloadOptions): Promise<void> {
  const { target, signal, onProgress, bytes } = options;
  const rate = new Rate();
  const onWait = () => {
    void sizeOf(partPath(target)).then((size) => onProgress(rate.progress(size, bytes, performance.now())));
  };
  try {
    await withDownloadLock(target, signal, onWait, async () => {
      if (await isThere(target, bytes)) return;
      await fetchWhole(options);
    });
  } catch (error) {
    if (signal.aborted)
      throw new DownloadError('cancelled', 'The download was cancelled; what has arrived is kept.', error);
    throw error;
  }
}

async function fetchWhole(options: DownloadOptions): Promise<void> {
  const { target, sha256, url, signal } = options;
  const part = await PartFile.open(target, sha256, url, signal);
  try {
    await fetchWithRetries(part, options);
  } catch (error) {
    await part.keep();
    throw error;
  }
  await part.finish();
}

async function fetchWithRetries(part: PartFile, options: DownloadOptions): Promise<void> {
  const rate = new Rate();
  let tries = 0;
  for (let before = part.size; ; before = part.size) {
    try {
      await fetchRest(part, rate, options);
      return;
    } catch (error) {
      if (options.signal.aborted || !(error instanceof DownloadError) || !error.passes) throw error;
      tries = part.size > before ? 1 : tries + 1;
      if (tries >= TRIES_MAX) throw error;
      options.log(`${error.message} Trying again from byte ${part.size}.`);
      await sleep((options.retryMs ?? RETRY_MS) * 2 ** (tries - 1), undefined, { signal: options.signal });
    }
  }
}

/** Asks for what is missing and receives it; returns when the server has no more. */
async function fetchRest(part: PartFile, rate: Rate, options: DownloadOptions): Promise<void> {
  const { url, connections, signal, log } = options;
  const answer = await ask({ url, from: part.size, etag: part.etag, connections, signal });
  try {
    refuseAnotherFile(answer, options);
    if (answer.start !== part.size || (answer.body === null && answer.total !== part.size)) {
      if (answer.start !== 0 && answer.body !== null)
        throw new DownloadError('broken_off', `${url} answers with other bytes than were asked for.`);
      log(`${url} can't go on at byte ${part.size}: beginning anew.`);
      await part.restart();
      if (answer.body === null) return await fetchRest(part, rate, options);
    }
    if (answer.body === null) return;
    await part.remember(answer.etag);
    if (answer.total !== null) await part.requireSpace(answer.total - part.size);
    await receive(answer.body, answer.total, part, rate, options);
  } finally {
    answer.close();
  }
  if (answer.total !== null && part.size < answer.total)
    throw new DownloadError('broken_off', `${url} broke off at byte ${part.size} of ${answer.total}.`);
}

async function receive(
  body: AsyncIterable<Uint8Array>,
  total: number | null,
  part: PartFile,
  rate: Rate,
  { url, magic, signal, onProgress }: DownloadOptions,
): Promise<void> {
  let head = Buffer.alloc(0);
  let told = -Infinity;
  const tell = () => {
    told = performance.now();
    onProgress(rate.progress(part.size, total, told));
  };
  try {
    for await (const chunk of body) {
      if (part.size > 0) {
        await part.append(chunk);
      } else {
        head = Buffer.concat([head, chunk]);
        if (head.length < magic.length) continue;
        if (!head.subarray(0, magic.length).equals(magic)) throw notTheFile(url);
        await part.append(head);
      }
      if (performance.now() - told >= PROGRESS_INTERVAL_MS) tell();
    }
  } catch (error) {
    if (signal.aborted || error instanceof DownloadError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new DownloadError('broken_off', `${url} broke off at byte ${part.size}: ${why}.`, error);
  }
  if (part.size === 0) throw notTheFile(url);
  tell();
}

/** Before anything is received: gigabytes of another file would only be refused at the end. */
function refuseAnotherFile({ published, total }: Answer, { url, sha256, bytes }: DownloadOptions): void {
  const otherSize = bytes !== null && total !== null && total !== bytes;
  if (!otherSize && (published === null || published === sha256)) return;
  const what = otherSize ? `${total} bytes in the place of ${bytes}` : `the SHA-256 ${published}`;
  throw new DownloadError(
    'other_file',
    `${url} is another file than Hone was made for: ${what}. Nothing was downloaded; change hone.models.mirror, or update Hone.`,
  );
}

function notTheFile(url: string): DownloadError {
  return new DownloadError(
    'not_the_file',
    `What ${url} sends is no such file. Check the network's sign-in page or hone.models.mirror.`,
  );
}

async function isThere(target: string, bytes: number | null): Promise<boolean> {
  const found = await stat(target).catch(() => undefined);
  return found !== undefined && (bytes === null || found.size === bytes);
}
