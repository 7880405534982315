import { mkdirSync } from 'node:fs';

/**
 * Makes a folder that only its owner may look into: what lies there is made of the developer's source code. One that
 * is there already keeps its rights.
 */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}
