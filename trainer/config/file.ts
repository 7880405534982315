/** A configuration file as a tree of plain values; JSON is read as the YAML that it is. */
import { readFileSync } from 'node:fs';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { HoneError } from '../server/shared/errors.ts';

export interface ConfigFile {
  /** As it was given. */
  path: string;
  tree: Record<string, unknown>;
  /** `FILE:LINE` of a key. */
  placeOf(keys: readonly string[]): string;
}

/** @throws HoneError (`config_invalid`) when the file can't be read, is neither YAML nor JSON, or holds no mapping. */
export function readConfigFile(path: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(readText(path), { lineCounter: lines });
  const wrong = document.errors[0] ?? document.warnings[0];
  if (wrong !== undefined) {
    const { line } = lines.linePos(wrong.pos[0]);
    throw configError(
      `${path}:${line}`,
      `This is neither YAML nor JSON: ${wrong.message.split(' at line')[0]}`,
    );
  }
  const tree = plainTree(path, () => document.toJS() as unknown);
  return {
    path,
    tree,
    placeOf(keys) {
      const node = document.getIn(keys, true);
      const range = isNode(node) ? node.range : null;
      return range ? `${path}:${lines.linePos(range[0]).line}` : path;
    },
  };
}

/** Says where, and what is wrong. */
export function configError(place: string, message: string): HoneError {
  return new HoneError('config_invalid', `${place}: ${message}`, { param: '--config' });
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw configError(path, `The configuration can't be read: ${(error as Error).message}`);
  }
}

function plainTree(path: string, read: () => unknown): Record<string, unknown> {
  let tree: unknown;
  try {
    tree = read();
  } catch (error) {
    throw configError(path, (error as Error).message);
  }
  if (holdsItself(tree)) throw configError(path, 'An alias (*name) stands inside of what it stands for.');
  // A file of comments alone asks for the defaults.
  if (tree === null) return {};
  if (!isMapping(tree))
    throw configError(path, 'Keys with values are wanted, as in "training: { batchEvents: 16 }".');
  return tree;
}

/** @param above the values around it; `done` the ones that were looked through */
function holdsItself(value: unknown, above = new Set<object>(), done = new Set<object>()): boolean {
  if (typeof value !== 'object' || value === null || done.has(value)) return false;
  if (above.has(value)) return true;
  above.add(value);
  if (Object.values(value).some((inner) => holdsItself(inner, above, done))) return true;
  above.delete(value);
  done.add(value);
  return false;
}
