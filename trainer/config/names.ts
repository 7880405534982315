/** Every key that a configuration file may have, read off the schema and the recipe's table. */
import { distance } from 'fastest-levenshtein';
import * as z from 'zod';
import { ALIASES, UNUSED } from './recipe.ts';
import { configSchema } from './schema.ts';

/** The part of JSON schema that the keys are read from. */
export interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  description?: string;
  default?: unknown;
  [word: string]: unknown;
}

/** The configuration as a JSON schema, of what may be written into a file. */
export function jsonSchema(): SchemaNode {
  return z.toJSONSchema(configSchema, { io: 'input', target: 'draft-7' }) as SchemaNode;
}

/** Own keys that hold a value, by path, in the order of the schema. */
export const OWN_KEYS: ReadonlyMap<string, SchemaNode> = new Map(leaves(jsonSchema(), ''));

const OWN_SECTIONS = sectionsOf([...OWN_KEYS.keys()]);
const RECIPE_SECTIONS = sectionsOf([...ALIASES.map(({ name }) => name), ...UNUSED]);
const ALIAS_NAMES = new Set(ALIASES.map(({ name }) => name));
const UNUSED_NAMES = new Set(UNUSED);

export type KeyKind = 'own' | 'alias' | 'unused' | 'section' | 'unknown';

/** What a path in a file is. */
export function kindOf(path: string): KeyKind {
  if (OWN_KEYS.has(path)) return 'own';
  if (ALIAS_NAMES.has(path)) return 'alias';
  if (UNUSED_NAMES.has(path)) return 'unused';
  return OWN_SECTIONS.has(path) || RECIPE_SECTIONS.has(path) ? 'section' : 'unknown';
}

/** The known key that is most like an unknown one: like the whole of it, or with the same last name elsewhere. */
export function nearestKey(path: string): string {
  const last = lastName(path);
  let best = { key: '', score: Infinity, whole: Infinity };
  for (const key of [...OWN_KEYS.keys(), ...ALIAS_NAMES, ...OWN_SECTIONS]) {
    const whole = distance(path, key);
    const score = Math.min(whole, distance(last, lastName(key)) + 1);
    if (score < best.score || (score === best.score && whole < best.whole)) best = { key, score, whole };
  }
  return best.key;
}

function leaves(node: SchemaNode, path: string): [string, SchemaNode][] {
  if (node.properties === undefined) return [[path, node]];
  return Object.entries(node.properties).flatMap(([key, child]) =>
    leaves(child, path === '' ? key : `${path}.${key}`),
  );
}

function sectionsOf(paths: string[]): Set<string> {
  return new Set(
    paths.flatMap((path) => {
      const names = path.split('.');
      return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
    }),
  );
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
