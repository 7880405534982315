/** What lies in a package: its parts with their sizes, and binaries that don't belong there. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { binaryKind, HEAD_BYTES } from './binaryKind.ts';
import { PLATFORMS, platformPackages, type Target } from './targets.ts';

interface PackagePart {
  name: string;
  files: number;
  bytes: number;
  /** Formats and processors of its binaries. */
  binaries: string[];
}

/** One line for each package of dist/node_modules, and for the rest; paths are relative to `folder`. */
export function partsOf(folder: string, files: string[]): PackagePart[] {
  const parts = new Map<string, PackagePart>();
  for (const file of files) {
    const name = partOf(file);
    const part = parts.get(name) ?? { name, files: 0, bytes: 0, binaries: [] };
    const kind = kindOf(join(folder, file));
    part.files++;
    part.bytes += statSync(join(folder, file)).size;
    if (kind !== null && !part.binaries.includes(kind)) part.binaries.push(kind);
    parts.set(name, part);
  }
  return [...parts.values()].toSorted((a, b) => b.bytes - a.bytes);
}

/** Sentences about what is missing or foreign in a package for the target; none: it is as it should be. */
export function packageFaults(target: Target, parts: PackagePart[]): string[] {
  const { binaries } = PLATFORMS[target.platform]!;
  const needed = [...platformPackages(target), 'better-sqlite3'];
  const missing = needed.filter(
    (name) => !parts.some((part) => part.name === name && part.binaries.length > 0),
  );
  const foreign = parts.flatMap(({ name, binaries: found }) =>
    found.filter((kind) => kind !== binaries).map((kind) => `${name} has ${kind} binaries`),
  );
  const runtimes = parts
    .map(({ name }) => name)
    .filter((name) => /^@(node-llama-cpp|koromix)\//.test(name) && !needed.includes(name));
  return [
    ...missing.map((name) => `${name} has no binary`),
    ...foreign,
    ...runtimes.map((name) => `${name} is of another target`),
  ];
}

function partOf(file: string): string {
  return (
    /^dist\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? (file.endsWith('.gguf') ? 'model' : 'hone')
  );
}

function kindOf(path: string): string | null {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return binaryKind(head.subarray(0, readSync(file, head)));
  } finally {
    closeSync(file);
  }
}
