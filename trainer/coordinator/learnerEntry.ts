import { fileURLToPath } from 'node:url';

/**
 * Path of the learner's program: beside this one in a bundle, in its own folder when the sources are run as they are.
 */
export function learnerEntry(): string {
  const here = import.meta.url;
  const relative = here.endsWith('.ts') ? '../learning/learnerMain.ts' : './learner.js';
  return fileURLToPath(new URL(relative, here));
}
