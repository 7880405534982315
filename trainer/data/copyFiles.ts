import { copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Files below a folder, as paths from there; of a file, the empty path alone. Folders are read as they are come to:
 * one that is deleted before that has no files.
 */
export function* filesBelow(top: string, folder = ''): Generator<string, void> {
  const path = join(top, folder);
  if (folder === '' && whileThere(() => statSync(path).isFile())) {
    yield folder;
    return;
  }
  const entries = whileThere(() => readdirSync(path, { withFileTypes: true })) ?? [];
  for (const entry of entries) {
    const inside = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(top, inside);
    else if (entry.isFile()) yield inside;
  }
}

/** Copies files from one place to another. One that its owner deletes meanwhile is left out. */
export function copyFiles(from: string, to: string, files: Iterable<string>): void {
  for (const file of files) {
    const target = join(to, file);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    whileThere(() => copyFileSync(join(from, file), target));
  }
}

/** Undefined: what is read is not there any more. */
function whileThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
