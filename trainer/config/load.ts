/** From a configuration file and the command line to a checked configuration. */
import type * as z from 'zod';
import { HoneError } from '../server/shared/errors.ts';
import { readConfigFile, type ConfigFile } from './file.ts';
import { keysOf, type Said } from './keys.ts';
import { OWN_KEYS } from './names.ts';
import type { Run } from './recipe.ts';
import { configSchema, type Config } from './schema.ts';

/** A value from the command line, which wins over the file. */
export interface Override {
  /** Path in the schema. */
  key: string;
  value: unknown;
  /** As it was typed: `--batch-events`. */
  option: string;
}

export interface LoadedConfig {
  config: Config;
  /** What of the file is not used, as sentences for the log. */
  warnings: string[];
}

/**
 * Reads a configuration (YAML or JSON); without a file, the defaults. What `overrides` say wins over the file, and the
 * file over the defaults.
 *
 * @param run whose keys the recipe's names are
 * @throws HoneError (`config_invalid`) with file, line and key, for what is unknown, contradicts itself or is of a
 *   wrong type.
 */
export function loadConfig(
  path: string | undefined,
  overrides: readonly Override[] = [],
  run: Run = 'companion',
): LoadedConfig {
  const file = path === undefined ? null : readConfigFile(path);
  const keys = file === null ? null : keysOf(file, run);
  const said = new Map(keys?.said);
  const values = new Map([...said].map(([key, { value }]) => [key, value]));
  for (const { key, value } of overrides) values.set(key, value);
  const result = configSchema.safeParse(nested(values));
  if (!result.success) {
    const places = result.error.issues.map((issue) => placed(issue, { file, said, values, overrides }));
    throw new HoneError('config_invalid', places.join('\n'), { param: '--config' });
  }
  return { config: result.data, warnings: file === null ? [] : warningsOf(file, keys!) };
}

function warningsOf(
  file: ConfigFile,
  keys: { unused: readonly string[]; notEvaluated: readonly string[] },
): string[] {
  const warnings: string[] = [];
  if (keys.unused.length > 0)
    warnings.push(
      `${file.path}: these keys have no meaning here and are not used: ${keys.unused.join(', ')}.`,
    );
  if (keys.notEvaluated.length > 0)
    warnings.push(
      `${file.path}: these keys hold an expression that is not evaluated here, and are not used: ${keys.notEvaluated.join(', ')}.`,
    );
  return warnings;
}

interface Context {
  file: ConfigFile | null;
  said: ReadonlyMap<string, Said>;
  values: ReadonlyMap<string, unknown>;
  overrides: readonly Override[];
}

/** One problem: where, what stands there, what is wanted, and what it is for. */
function placed(issue: z.core.$ZodIssue, { file, said, values, overrides }: Context): string {
  const path = issue.path.map(String);
  const key = ownKeyOf(path);
  const description = key === null ? undefined : OWN_KEYS.get(key)!.description;
  const meaning = description === undefined ? '' : ` ${key}: ${description}`;
  const option = overrides.find((override) => override.key === key)?.option;
  const given = key === null ? undefined : said.get(key);
  const value = key === null ? undefined : valueBelow(values.get(key), path.slice(key.split('.').length));
  const found = value === undefined ? '' : ` is ${JSON.stringify(value)}`;
  if (option !== undefined || given === undefined || file === null)
    return `${option ?? path.join('.')}${found}. ${issue.message}.${meaning}`;
  const inside = path.slice(key!.split('.').length);
  return `${file.placeOf(given.at)}: "${[...given.at, ...inside].join('.')}"${found}. ${issue.message}.${meaning}`;
}

function ownKeyOf(path: readonly string[]): string | null {
  for (let length = path.length; length > 0; length--) {
    const key = path.slice(0, length).join('.');
    if (OWN_KEYS.has(key)) return key;
  }
  return null;
}

function valueBelow(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], value);
}

function nested(values: ReadonlyMap<string, unknown>): object {
  const root: Record<string, unknown> = {};
  for (const [key, value] of values) {
    const names = key.split('.');
    const last = names.pop()!;
    let node = root;
    for (const name of names) node = (node[name] ??= {}) as Record<string, unknown>;
    node[last] = value;
  }
  return root;
}
