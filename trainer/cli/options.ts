/** Options that every command shares, and where things lie when they are not given. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { GPU_CHOICES } from '../config/schema.ts';
import type { GpuChoice } from '../inference/llama.ts';
import { LOG_LEVELS, type LogLevel } from '../server/shared/logging.ts';

const EMBEDDED_MODEL = 'hone-135m-fim-q5_0.gguf';
/** Folders of the embedded model, from the sources and from the bundle. */
const MODEL_FOLDERS = ['../models', '../trainer/models', 'models'];

export interface CommonOptions {
  dataDir: string;
  model: string;
  gpu: GpuChoice;
  threads?: number;
  seed?: number;
  logLevel: LogLevel;
  json: boolean;
}

/** Adds `--data-dir`, `--model`, `--gpu`, `--threads`, `--seed`, `--log-level` and `--json` to a command. */
export function addCommonOptions(command: Command): Command {
  return command
    .option('--data-dir <dir>', 'everything the companion writes', defaultDataDir())
    .option('--model <path>', 'model file (GGUF)', embeddedModelPath())
    .addOption(new Option('--gpu <kind>', 'what to compute on').choices(GPU_CHOICES).default('auto'))
    .option('--threads <n>', 'threads (default: the physical cores)', parsePositive)
    .option('--seed <n>', 'seed of everything random', parseInteger)
    .addOption(new Option('--log-level <level>', 'what is logged').choices(LOG_LEVELS).default('info'))
    .option('--json', 'answer in JSON', false);
}

/** The user's own data folder on this platform. */
export function defaultDataDir(): string {
  const home = homedir();
  if (process.platform === 'win32')
    return join(process.env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'Hone');
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support', 'Hone');
  return join(process.env.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'hone');
}

/** Path of the model that Hone ships; where it should be, when it is nowhere. */
export function embeddedModelPath(): string {
  const candidates = MODEL_FOLDERS.map((folder) => join(import.meta.dirname, folder, EMBEDDED_MODEL));
  return candidates.find((path) => existsSync(path)) ?? candidates[0]!;
}

/**
 * Reads a whole number.
 *
 * @throws InvalidArgumentError, as the parsers below do.
 */
export function parseInteger(value: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('A whole number is needed.');
}

/** Reads a whole number above 0. */
export function parsePositive(value: string): number {
  const number = parseInteger(value);
  if (number > 0) return number;
  throw new InvalidArgumentError('A number above 0 is needed.');
}

/** Reads a port, 0 for a free one. */
export function parsePort(value: string): number {
  const number = parseInteger(value);
  if (number >= 0 && number <= 65_535) return number;
  throw new InvalidArgumentError('A port is a number from 0 to 65535; 0 picks a free one.');
}
