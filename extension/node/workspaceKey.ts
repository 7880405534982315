import { createHash } from 'node:crypto';
import { DEFAULT_WORKSPACE } from '../common/contracts/feedback.ts';

const KEY_DIGITS = 32;

/**
 * Tells workspaces apart, the same in every session, without naming a path.
 *
 * @param folder URI of a folder of the workspace; undefined: none is open
 */
export function workspaceKeyOf(folder: string | undefined): string {
  if (folder === undefined) return DEFAULT_WORKSPACE;
  return createHash('sha256').update(folder).digest('hex').slice(0, KEY_DIGITS);
}
