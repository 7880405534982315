import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';

/** A path of the file system: `~/` is the home folder, and relative ones start at the folder that the command runs in. */
export function pathField(): z.ZodString {
  return z.string().min(1).refine(hasNoNul, 'No path has a NUL character').overwrite(expandHome);
}

function hasNoNul(path: string): boolean {
  return !path.includes('\0');
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}
