/** Takes updates out of the curves, or all of the curves away. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { boardFolder, METRICS_FILE, TRAIN_LOG_FILE } from './board.ts';
import { stepsOf } from './event.ts';
import { EVENT_FILE_PREFIX } from './eventFile.ts';

interface Updates {
  versions: ReadonlySet<number>;
  runIds: ReadonlySet<string>;
}

/** Every file of the curves. */
export function eraseBoard(dataDir: string): void {
  rmSync(boardFolder(dataDir), { recursive: true, force: true });
}

/** The lines and records of some updates, in every file, those put aside too. Running it again changes nothing. */
export function eraseFromBoard(dataDir: string, updates: Updates): void {
  const root = boardFolder(dataDir);
  if (!existsSync(root)) return;
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (entry.name.startsWith(METRICS_FILE)) rewrite(path, (text) => withoutRuns(text, updates));
    else if (entry.name.startsWith(TRAIN_LOG_FILE)) rewrite(path, (text) => withoutLines(text, updates));
    else if (entry.name.startsWith(EVENT_FILE_PREFIX)) rewrite(path, (bytes) => withoutSteps(bytes, updates));
  }
}

/** Replaces a file whole or not at all; one that says nothing any more goes. */
function rewrite(path: string, change: (content: Buffer) => Buffer): void {
  const before = readFileSync(path);
  const after = change(before);
  if (after.length === before.length) return;
  if (after.length === 0) return rmSync(path);
  const partial = `${path}.part`;
  try {
    writeFileSync(partial, after, { mode: 0o600 });
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
}

function withoutRuns(content: Buffer, { runIds }: Updates): Buffer {
  const isGone = (line: string): boolean => {
    try {
      return runIds.has((JSON.parse(line) as { id: string }).id);
    } catch {
      // Half of a line, of a process that was killed.
      return false;
    }
  };
  return keepLines(content, (line) => !isGone(line));
}

/** A line that names one of the versions, and the alarms that follow it. */
function withoutLines(content: Buffer, { versions }: Updates): Buffer {
  let gone = false;
  return keepLines(content, (line) => {
    if (!/^\S+ Alarm\. /.test(line)) {
      const named = [...line.matchAll(/\bversion (\d+)/gi)].map(([, number]) => Number(number));
      gone = named.some((version) => versions.has(version));
    }
    return !gone;
  });
}

function keepLines(content: Buffer, keep: (line: string) => boolean): Buffer {
  const lines = content.toString('utf8').split(/(?<=\n)/);
  return Buffer.from(lines.filter(keep).join(''), 'utf8');
}

/** The first record says what kind of file it is; without another one it is of no use. */
function withoutSteps(content: Buffer, { versions }: Updates): Buffer {
  const records = stepsOf(content);
  const kept = records.filter(({ step }) => step === null || !versions.has(step));
  if (kept.length === records.length) return content;
  if (kept.every(({ step }) => step === null)) return Buffer.alloc(0);
  return Buffer.concat(kept.map(({ bytes: record }) => record));
}
