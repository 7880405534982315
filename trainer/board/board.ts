import { existsSync, readdirSync, rmSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../server/shared/logging.ts';
import { hashText } from '../store/encoding.ts';
import { makePrivateFolder } from '../store/folder.ts';
import type { RunRow } from '../store/types.ts';
import { EventFile } from './eventFile.ts';
import { appendLine, logLine } from './lines.ts';

const RUNS_FOLDER = 'runs';
/** One line of JSON an update. */
export const METRICS_FILE = 'metrics.jsonl';
/** One line an update or another thing that happened to what is learned. */
export const TRAIN_LOG_FILE = 'train.log';
const DAY_MS = 24 * 60 * 60 * 1000;
/** A key that may name a folder on every system; others are hashed. */
const PLAIN_KEY = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const KEY_HEX_DIGITS = 16;

/** Folder with the curves of all workspaces: what `tensorboard --logdir` takes. */
export function boardFolder(dataDir: string): string {
  return join(dataDir, RUNS_FOLDER);
}

/** Name of a workspace's folder, for any key that a client may send. */
export function workspaceFolder(key: string): string {
  return PLAIN_KEY.test(key) ? key : hashText(key).slice(0, KEY_HEX_DIGITS);
}

/**
 * The curves of learning, by workspace: TensorBoard's event files, the same as lines of JSON, and a log to read. It
 * holds numbers and versions, no text of the developer's. What can't be written is missing and said in the
 * companion's log; the store has it, and learning goes on. No folder is made before there is something to say.
 */
export class Board {
  private readonly dataDir: string;
  private readonly logger: Logger;
  private readonly events = new Map<string, EventFile>();

  constructor(dataDir: string, logger: Logger) {
    this.dataDir = dataDir;
    this.logger = logger;
  }

  /**
   * A decided or failed update. Its step is the version that it made; a failed one made none and is no point of a
   * curve.
   *
   * @param counters further figures, by tag
   */
  update(run: RunRow, counters: Record<string, number>): void {
    const scalars = { ...run.figures, ...counters, ...timesOf(run.seconds) };
    this.write(run.workspaceKey, (folder) => {
      const { figures: _figures, ...rest } = run;
      appendLine(join(folder, METRICS_FILE), JSON.stringify({ step: run.version, ...rest, scalars }));
      if (run.version !== null) this.eventFile(folder).append(run.at, run.version, scalars);
    });
    const version = run.version === null ? '' : `, version ${run.version} from ${run.parent}`;
    this.say(run.workspaceKey, `${run.events} events: ${run.decision}${version}. ${run.reason}`, run.at);
  }

  /** A line of `train.log`. */
  say(workspaceKey: string, text: string, at = Date.now()): void {
    this.write(workspaceKey, (folder) => appendLine(join(folder, TRAIN_LOG_FILE), logLine(text, at)));
  }

  /** Deletes files that nothing was added to for as long as completions are kept. */
  prune(maxAgeDays: number, now = Date.now()): void {
    const root = boardFolder(this.dataDir);
    if (!existsSync(root)) return;
    const oldest = now - maxAgeDays * DAY_MS;
    for (const key of readdirSync(root)) {
      const folder = join(root, key);
      for (const name of readdirSync(folder))
        if (statSync(join(folder, name)).mtimeMs < oldest) rmSync(join(folder, name), { force: true });
      if (readdirSync(folder).length === 0) rmdirSync(folder);
    }
  }

  private eventFile(folder: string): EventFile {
    const known = this.events.get(folder) ?? new EventFile(folder);
    this.events.set(folder, known);
    return known;
  }

  private write(workspaceKey: string, work: (folder: string) => void): void {
    const folder = join(boardFolder(this.dataDir), workspaceFolder(workspaceKey));
    try {
      makePrivateFolder(folder);
      work(folder);
    } catch (error) {
      this.logger.warn(
        { err: error, folder },
        'Figures of learning could not be written; the store has them.',
      );
    }
  }
}

function timesOf(seconds: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(seconds).map(([phase, value]) => [`time/${phase}`, value]));
}
