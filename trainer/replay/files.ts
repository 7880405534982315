import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { codeLanguageOf } from '../../extension/common/files/codeLanguages.ts';
import { LONGEST_LINE_CHARS } from '../../extension/common/places/codePlaces.ts';

const SKIPPED_FOLDERS = new Set([
  'node_modules',
  'dist',
  'build',
  'out',
  'vendor',
  'coverage',
  '__pycache__',
]);
const LARGEST_FILE_BYTES = 200_000;
const SHORTEST_FILE_LINES = 20;
const MOST_HELD_OUT_FILES = 16;

export interface SourceFile {
  /** Relative to the folder, with forward slashes. */
  path: string;
  language: string;
  /** LF line ends. */
  text: string;
}

/**
 * Source files under a folder that a person may have typed, in the order of their paths.
 *
 * @throws Error when the folder can't be read or holds none.
 */
export async function readSourceFiles(folder: string): Promise<SourceFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: Error) => {
    throw new Error(`The folder can't be read: ${error.message}. Name a folder of code.`, { cause: error });
  });
  const names = entries
    .filter((entry) => entry.isFile() && codeLanguageOf(entry.name) !== undefined)
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((name) => !name.split('/').some((part) => part.startsWith('.') || SKIPPED_FOLDERS.has(part)))
    .sort(byCodeUnits);
  const files: SourceFile[] = [];
  for (const name of names) {
    const text = (await readFile(path.join(folder, name), 'utf8')).replace(/\r\n?/g, '\n');
    if (text.length > LARGEST_FILE_BYTES || /^\uFEFF?.*@generated/.test(text)) continue;
    const lines = text.split('\n');
    if (lines.length < SHORTEST_FILE_LINES || lines.some((line) => line.length > LONGEST_LINE_CHARS))
      continue;
    files.push({ path: name, language: codeLanguageOf(name)!, text });
  }
  if (files.length === 0) {
    throw new Error(
      `No source files of ${SHORTEST_FILE_LINES} lines or more in ${folder}. Name a folder of code.`,
    );
  }
  return files;
}

export interface FileSplit {
  /** Typed by the simulated developer, in this order. */
  streamed: SourceFile[];
  /** Never streamed: the before and after are measured on them. */
  heldOut: SourceFile[];
}

/**
 * Parts the files into streamed and held out. Without a pattern, the files are sorted by the SHA-256 of their
 * path and every second one is held out, up to 16.
 *
 * @throws Error when either part is empty.
 */
export function splitFiles(files: SourceFile[], holdoutGlob?: string): FileSplit {
  const heldOutPaths =
    holdoutGlob === undefined
      ? new Set(
          byHash(files)
            .filter((_, i) => i % 2 === 1)
            .slice(0, MOST_HELD_OUT_FILES),
        )
      : new Set(files.map((file) => file.path).filter((name) => path.posix.matchesGlob(name, holdoutGlob)));
  const split = {
    streamed: files.filter((file) => !heldOutPaths.has(file.path)),
    heldOut: files.filter((file) => heldOutPaths.has(file.path)),
  };
  if (split.streamed.length > 0 && split.heldOut.length > 0) return split;
  if (holdoutGlob === undefined)
    throw new Error('One file is too few: others are needed to measure on. Name a folder with more code.');
  const left = split.streamed.length === 0 ? 'type' : 'measure on';
  throw new Error(`The holdout pattern ${holdoutGlob} leaves nothing to ${left}. Choose another.`);
}

function byHash(files: SourceFile[]): string[] {
  const hash = (name: string): string => createHash('sha256').update(name).digest('hex');
  return files.map((file) => file.path).sort((a, b) => byCodeUnits(hash(a), hash(b)));
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
