import { join } from 'node:path';
import {
  COMPANION_FOLDER,
  COMPANION_LOG,
  EXTENSION_DATABASE,
  EXTENSION_TOKENS,
} from '../common/data/files.ts';

/**
 * Environment variables that move what the extension writes and starts; for tests and for unusual installations.
 *
 * - `HONE_DATA_DIR`: folder of everything below, in place of the editor's global storage.
 * - `HONE_COMPANION`: script to start in place of `dist/hone.js`.
 * - `HONE_NODE`: program that runs it, in place of the editor's own runtime.
 */
export interface Paths {
  /** Shown completions, events and the outbox. */
  database: string;
  /** Tokens of this installation, mode 0600. */
  tokens: string;
  /** The companion's own folder: its lock file, store, adapters. */
  companionDir: string;
  /** What the companion writes to standard error. */
  companionLog: string;
  companionConfig: string;
  companionScript: string;
  /** Models that were downloaded. */
  models: string;
  runtime: string;
  /** Thread that owns the database. */
  storeWorker: string;
  /** Thread that owns the index of the workspace's files. */
  contextWorker: string;
  root: string;
}

/**
 * @param globalStorage the editor's folder for this extension
 * @param distribution folder of the bundles
 */
export function pathsIn(globalStorage: string, distribution: string, environment: NodeJS.ProcessEnv): Paths {
  const root = environment.HONE_DATA_DIR ?? globalStorage;
  return {
    root,
    database: join(root, EXTENSION_DATABASE),
    tokens: join(root, EXTENSION_TOKENS),
    companionDir: join(root, COMPANION_FOLDER),
    companionLog: join(root, COMPANION_LOG),
    companionConfig: join(root, 'companion.config.json'),
    companionScript: environment.HONE_COMPANION ?? join(distribution, 'hone.js'),
    models: join(root, 'models'),
    runtime: environment.HONE_NODE ?? process.execPath,
    storeWorker: join(distribution, 'store-worker.cjs'),
    contextWorker: join(distribution, 'context-worker.cjs'),
  };
}
