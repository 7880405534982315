/** Files of lines that grow: logs and figures. */
import { appendFileSync, existsSync, renameSync, statSync } from 'node:fs';

/** A file that has grown to this is put aside as `.1`, over the one before. */
const MAX_LINES_BYTES = 8 * 1024 * 1024;

/** Adds a line. */
export function appendLine(path: string, line: string): void {
  // A file that isn't there yet has no size.
  if (existsSync(path) && statSync(path).size > MAX_LINES_BYTES) renameSync(path, `${path}.1`);
  appendFileSync(path, `${line}\n`, { mode: 0o600 });
}

/**
 * One line of a log to read.
 *
 * @param at milliseconds since the epoch
 */
export function logLine(text: string, at: number): string {
  return `${new Date(at).toISOString()} ${text.replaceAll('\n', ' ')}`;
}
