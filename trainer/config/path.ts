import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';

/** A path of the file system: `~/` is the home folder, and relative ones start at the folder that the command runs in. */
export function pathField(): z.ZodString {
  return z.string().min(1).overwrite(expandHome);
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}
