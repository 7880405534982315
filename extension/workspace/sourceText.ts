import { readFileSync } from 'node:fs';
import { isGenerated } from '../common/files/unhelpful.ts';
import { toLf } from '../common/outcome/offsets.ts';

/** Git's own test for a binary file looks as far. */
const BINARY_HEAD_BYTES = 8000;

/** Why a file is not in the index. */
export type Skipped =
  'excluded' | 'ignored' | 'data' | 'large' | 'binary' | 'generated' | 'unreadable' | 'limit';

/** A file's text with LF line ends, or why it has none that helps. */
export function readSource(path: string): { text: string } | { skipped: Skipped } {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return { skipped: 'unreadable' };
  }
  if (bytes.subarray(0, BINARY_HEAD_BYTES).includes(0)) return { skipped: 'binary' };
  const text = toLf(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  return isGenerated(text) ? { skipped: 'generated' } : { text };
}
