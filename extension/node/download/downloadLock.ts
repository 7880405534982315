import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const BEAT_MS = 2000;
/** A window that hasn't said for this long that it is at work has gone. */
const STALE_MS = 15_000;
const POLL_MS = 300;

interface LockTimes {
  beatMs: number;
  staleMs: number;
  pollMs: number;
}

/**
 * Runs a task while no other window runs one for the same file; waits until it may. The lock is a file that its holder
 * touches: one that a killed window left is taken over after a while. Should two windows ever hold it, the checksum at
 * the end still refuses what they make of it.
 *
 * @param onWait called again and again while another window is at work
 */
export async function withDownloadLock<T>(
  target: string,
  signal: AbortSignal,
  onWait: () => void,
  task: () => Promise<T>,
  times: LockTimes = { beatMs: BEAT_MS, staleMs: STALE_MS, pollMs: POLL_MS },
): Promise<T> {
  const path = `${target}.lock`;
  const id = randomUUID();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  while (!(await take(path, id))) {
    onWait();
    await removeStale(path, times.staleMs);
    await sleep(times.pollMs, undefined, { signal });
  }
  const touch = () => void utimes(path, new Date(), new Date()).catch(() => {});
  const beat = setInterval(touch, times.beatMs).unref();
  try {
    return await task();
  } finally {
    clearInterval(beat);
    if ((await readFile(path, 'utf8').catch(() => '')) === id) await rm(path, { force: true });
  }
}

/** Only one of several windows makes the file. */
async function take(path: string, id: string): Promise<boolean> {
  try {
    await writeFile(path, id, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removeStale(path: string, staleMs: number): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || Date.now() - found.mtimeMs < staleMs) return;
  const aside = `${path}.${randomUUID()}`;
  // Only one of several windows that see it moves it away.
  await rename(path, aside).catch(() => {});
  await rm(aside, { force: true });
}
