import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { COMPANION_FOLDER, COMPANION_LOG, EXTENSION_DATABASE } from '../../extension/common/data/files.ts';

/** What the extension keeps beside the data folder of a companion that it starts. */
export interface ExtensionFiles {
  database: string;
  /** The log and the one before; they need not be there. */
  logs: string[];
}

/** Null: the data folder is not the one of an extension. */
export function extensionFilesOf(dataDir: string): ExtensionFiles | null {
  const full = resolve(dataDir);
  const root = dirname(full);
  const database = join(root, EXTENSION_DATABASE);
  if (basename(full) !== COMPANION_FOLDER || !existsSync(database)) return null;
  return { database, logs: [join(root, COMPANION_LOG), join(root, `${COMPANION_LOG}.1`)] };
}
