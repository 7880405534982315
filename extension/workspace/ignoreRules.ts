/** What git ignores below a folder, read from the same files that git reads. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { slashed } from './paths.ts';

/** A path between a folder and its repository's root is hardly longer. */
const PARENTS_MAX = 64;
/** As git takes it on these systems by default (`core.ignoreCase`). */
const IGNORE_CASE = process.platform === 'win32' || process.platform === 'darwin';

/**
 * Rules of the `.gitignore` files of a folder, of the folders below it and of those above it up to the root of the
 * repository; of `.git/info/exclude`; and of the user's own ignore file. A deeper file overrides the ones above it,
 * a later line an earlier one, and nothing below an ignored folder can be brought back, as in gitignore(5).
 *
 * They are read when a path of their folder is asked for, and kept: make a new object when one has changed.
 */
export class IgnoreRules {
  readonly #root: string;
  /** The folder itself, from the root, with a slash at its end; '' when it is the root. */
  readonly #inRoot: string;
  readonly #byFolder = new Map<string, Ignore>();

  /**
   * @param folder absolute path; the paths that are asked for are below it
   * @param userFile the user's own ignore file
   */
  constructor(folder: string, userFile: string = userIgnoreFile(process.env)) {
    this.#root = repositoryRoot(folder) ?? folder;
    const inside = slashed(relative(this.#root, folder));
    this.#inRoot = inside === '' ? '' : `${inside}/`;
    const general = ignore({ ignoreCase: IGNORE_CASE });
    general.add(read(userFile)).add(read(join(gitFolder(this.#root), 'info', 'exclude')));
    this.#byFolder.set('', withRulesOf(general, this.#root, ''));
  }

  /** Whether a path, or a folder above it, is ignored; relative to the folder, with forward slashes. */
  ignores(path: string, kind: 'file' | 'folder'): boolean {
    const full = this.#inRoot + path;
    const asked = kind === 'folder' ? `${full}/` : full;
    return this.#rulesOf(parentOf(full)).ignores(asked);
  }

  #rulesOf(folder: string): Ignore {
    const known = this.#byFolder.get(folder);
    if (known !== undefined) return known;
    const rules = withRulesOf(this.#rulesOf(parentOf(folder)), this.#root, folder);
    this.#byFolder.set(folder, rules);
    return rules;
  }
}

/** Names of the files that the rules are read from: a change of one changes the rules. */
export function isIgnoreFile(path: string): boolean {
  return /(^|\/)(\.gitignore|\.git\/info\/exclude)$/.test(path);
}

/** The rules above a folder and its own; the same object when it has none. */
function withRulesOf(above: Ignore, root: string, folder: string): Ignore {
  const own = read(join(root, folder, '.gitignore'));
  if (own === '') return above;
  const patterns = own
    .split(/\r?\n/)
    .map((line) => rebased(line, folder))
    .filter((line) => line !== null);
  return ignore({ ignoreCase: IGNORE_CASE }).add(above).add(patterns);
}

/** A line of a folder's ignore file as it would have to stand in the root's; null for one without a pattern. */
function rebased(line: string, folder: string): string | null {
  if (line.trim() === '' || line.startsWith('#')) return null;
  if (folder === '') return line;
  const negated = line.startsWith('!');
  const pattern = negated ? line.slice(1) : line.replace(/^\\(?=[!#])/, '');
  const anchored = /\/(?!\s*$)/.test(pattern);
  const prefix = folder.replace(/[\\*?[\]]/g, '\\$&');
  return `${negated ? '!' : ''}/${prefix}/${anchored ? '' : '**/'}${pattern.replace(/^\//, '')}`;
}

/** The folder, or the one above it, that holds `.git`; null outside a repository. */
export function repositoryRoot(folder: string): string | null {
  let current = folder;
  for (let depth = 0; depth < PARENTS_MAX; depth++) {
    if (existsSync(join(current, '.git'))) return current;
    const above = dirname(current);
    if (above === current) return null;
    current = above;
  }
  return null;
}

/** Where a repository keeps its own files: of a work tree or a submodule, `.git` is a file that names the place. */
function gitFolder(root: string): string {
  const place = join(root, '.git');
  if (!statSync(place, { throwIfNoEntry: false })?.isFile()) return place;
  const named = /^gitdir: (.*)$/m.exec(read(place))?.[1];
  if (named === undefined) return place;
  const own = resolve(root, named);
  const common = read(join(own, 'commondir')).trim();
  return common === '' ? own : resolve(own, common);
}

/** Where git looks when `core.excludesFile` isn't set. */
function userIgnoreFile(environment: NodeJS.ProcessEnv): string {
  return join(environment.XDG_CONFIG_HOME || join(homedir(), '.config'), 'git', 'ignore');
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** A file's text without a byte-order mark; '' when there is none or it can't be read. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return '';
  }
}
