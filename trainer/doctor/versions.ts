import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { ok, type Finding } from './finding.ts';

const GIB = 2 ** 30;
/** From the sources and from the bundle. */
const MANIFESTS = ['../../package.json', '../package.json'];

/** What runs here, and on what. */
export function versionFindings(): Finding[] {
  const { node, electron } = process.versions;
  const runtime = electron === undefined ? `Node ${node}` : `Node ${node} of Electron ${electron}`;
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  return [
    ok('versions', `Hone ${honeVersion()}, ${runtime}.`),
    ok(
      'platform',
      `${process.platform}-${process.arch}, kernel ${release()}${libc()}; ${processor}, ${availableParallelism()} threads, ${(totalmem() / GIB).toFixed(1)} GiB of memory.`,
    ),
  ];
}

function honeVersion(): string {
  for (const path of MANIFESTS) {
    try {
      const manifest = JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8')) as {
        name?: string;
        version?: string;
      };
      if (manifest.name === 'hone') return manifest.version ?? 'unknown';
    } catch {
      // Not the layout that this path is for.
    }
  }
  return 'unknown';
}

/** llama.cpp's binaries need glibc. */
function libc(): string {
  if (process.platform !== 'linux') return '';
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined ? ', no glibc' : `, glibc ${header.glibcVersionRuntime}`;
}
