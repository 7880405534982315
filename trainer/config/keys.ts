/** What a file says about each key of the schema, under whichever name it says it. */
import { isDeepStrictEqual } from 'node:util';
import { evaluated } from './expressions.ts';
import { configError, isMapping, type ConfigFile } from './file.ts';
import { kindOf, nearestKey } from './names.ts';
import { ALIASES, isOf, type Run } from './recipe.ts';

/** A value and the key of the file that it was written under. */
export interface Said {
  value: unknown;
  /** Names from the top of the file. */
  at: readonly string[];
}

export interface FileKeys {
  /** By path of the schema. */
  said: ReadonlyMap<string, Said>;
  /** Keys of the recipe that have no meaning here. */
  unused: readonly string[];
  /** Keys of the recipe whose expression is not evaluated here. */
  notEvaluated: readonly string[];
}

/**
 * Sorts the keys of a file.
 *
 * @throws HoneError (`config_invalid`) for unknown keys, with the nearest known one each, for a value where a section
 *   belongs, and for two names of one thing with different values.
 */
export function keysOf(file: ConfigFile, run: Run): FileKeys {
  const said = new Map<string, Said>();
  const recipe = new Map<string, Said>();
  const unused: string[] = [];
  const notEvaluated: string[] = [];
  const unknown: (readonly string[])[] = [];

  const visit = (node: Record<string, unknown>, above: readonly string[]): void => {
    for (const [name, value] of Object.entries(node)) {
      const at = [...above, name];
      const path = at.join('.');
      // It tells editors where the schema is.
      if (path === '$schema') continue;
      const kind = kindOf(path);
      if (kind === 'unused') unused.push(path);
      else if (kind === 'unknown') unknown.push(at);
      else if (kind === 'section') visitSection(value, at);
      else if (kind === 'own') said.set(path, { value: ownValue(value, at), at });
      else {
        const result = evaluated(value, file.tree);
        if (result === null) notEvaluated.push(path);
        // `null` is how the recipe leaves a key to its default.
        else if (result.value !== null) recipe.set(path, { value: result.value, at });
      }
    }
  };
  const visitSection = (value: unknown, at: readonly string[]): void => {
    if (isMapping(value)) visit(value, at);
    else if (value !== null)
      throw configError(
        file.placeOf(at),
        `"${at.join('.')}" is ${JSON.stringify(value)}, and keys with values are wanted there.`,
      );
  };
  const ownValue = (value: unknown, at: readonly string[]): unknown => {
    const result = evaluated(value, file.tree);
    if (result !== null) return result.value;
    throw configError(
      file.placeOf(at),
      `"${at.join('.')}" is ${JSON.stringify(value)}, which can't be evaluated here: write the value itself.`,
    );
  };

  visit(file.tree, []);
  if (unknown.length > 0) throw unknownKeys(file, unknown);
  addAliases(file, run, said, recipe);
  return { said, unused, notEvaluated };
}

/** Adds what the recipe's names say; where two say something, they have to say the same. */
function addAliases(file: ConfigFile, run: Run, said: Map<string, Said>, recipe: Map<string, Said>): void {
  for (const { name, keys, unless, values } of ALIASES) {
    const given = recipe.get(name);
    if (given === undefined || (unless !== undefined && recipe.has(unless))) continue;
    const value = values?.[String(given.value)] ?? given.value;
    for (const key of keys.filter((one) => isOf(run, one))) {
      const other = said.get(key);
      if (other === undefined) said.set(key, { ...given, value });
      else if (!isDeepStrictEqual(other.value, value))
        throw configError(
          file.placeOf(given.at),
          `"${name}" is ${JSON.stringify(given.value)} and "${other.at.join('.')}" is ${JSON.stringify(other.value)}, but both mean ${key}. Give one of them, or both the same value.`,
        );
    }
  }
}

function unknownKeys(file: ConfigFile, unknown: (readonly string[])[]): Error {
  const [first, ...rest] = unknown.map((at) => {
    const path = at.join('.');
    return { place: file.placeOf(at), text: `There is no key "${path}". Nearest: ${nearestKey(path)}.` };
  });
  const more = rest.map(({ place, text }) => `\n${place}: ${text}`);
  return configError(first!.place, `${first!.text}${more.join('')}`);
}
