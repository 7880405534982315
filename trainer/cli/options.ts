/** Options that every command shares, and where things lie when they are not given. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import * as z from 'zod';
import { FIM_CHOICES } from '../../extension/common/prompt/fimChoice.ts';
import { trainingSettingsSchema } from '../coordinator/settings.ts';
import type { GpuChoice } from '../inference/llama.ts';
import { HoneError } from '../server/shared/errors.ts';
import { LOG_LEVELS, type LogLevel } from '../server/shared/logging.ts';

const EMBEDDED_MODEL = 'hone-135m-fim-q5_0.gguf';
const GPU_CHOICES: GpuChoice[] = ['auto', 'cpu', 'cuda', 'vulkan', 'metal'];
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

/** What a configuration file can set. */
export const configSchema = z.strictObject({
  inference: z
    .strictObject({
      /** Temperature of requests that name none. */
      temperature: z.number().min(0).max(5).default(0.3),
      /** Longest completion of requests that name none. */
      maxTokens: z.int().min(1).max(4096).default(64),
      /** Largest context; a model trained on less gets less. */
      contextTokens: z.int().min(256).default(4096),
      /** `auto`, or what to take instead of the fill-in-the-middle template that fits the model's markers. */
      fimTemplate: z.enum(FIM_CHOICES).default('auto'),
    })
    .prefault({}),
  training: trainingSettingsSchema.prefault({}),
});
export type Config = z.infer<typeof configSchema>;

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

/** The configuration file's content, defaults filled in; without a file, the defaults. */
export function readConfig(path: string | undefined): Config {
  if (path === undefined) return configSchema.parse({});
  const full = resolve(path);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(full, 'utf8'));
  } catch (error) {
    throw new HoneError(
      'config_invalid',
      `The configuration ${full} can't be read: ${(error as Error).message}. Correct it or leave --config out.`,
      {
        param: '--config',
        cause: error,
      },
    );
  }
  const result = configSchema.safeParse(content);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  throw new HoneError(
    'config_invalid',
    `The configuration ${full} is not valid at "${issue.path.map(String).join('.')}": ${issue.message}. Correct it or leave --config out.`,
    { param: '--config' },
  );
}

/** The user's own data folder on this platform. */
function defaultDataDir(): string {
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
