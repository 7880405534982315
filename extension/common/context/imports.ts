/** What a file imports from the workspace: JavaScript, TypeScript and Python, by the text alone. Pure. */

export interface Import {
  /** As written: `./a.js`, `../b`, `.models`, `pkg.util`. */
  specifier: string;
  /** Names as the imported file declares them; empty when the whole module is imported. */
  names: string[];
  /** 0-based lines of the statement. */
  firstLine: number;
  lastLine: number;
}

const MOST_STATEMENT_LINES = 60;
const SCRIPT_START = /^\s*(import\b(?!\s*\()|export\s+(type\s+)?[{*]|(const|let|var)\s.*\brequire\()/;
const SCRIPT_END = /['"][^'"]*['"]\)?;?\s*(\/\/.*)?$/;
const SCRIPT_SPECIFIER = /(?:\bfrom\s*|\bimport\s*|\brequire\(\s*)['"]([^'"]+)['"]/;
const PYTHON_FROM = /^\s*from\s+(\.*[\w.]*)\s+import\b(.*)$/s;
const PYTHON_IMPORT = /^\s*import\s+([\w.]+)/;
const SCRIPT_EXTENSIONS = ['.ts', '.tsx', '.mts', '.js', '.jsx', '.mjs', '.cjs'];

/** Import statements of a file, in their order. `text` has LF line ends. */
export function importsOf(text: string): Import[] {
  const lines = text.split('\n');
  const found: Import[] = [];
  for (let line = 0; line < lines.length; line++) {
    const one = scriptImport(lines, line) ?? pythonImport(lines, line);
    if (one === undefined) continue;
    found.push(one);
    line = one.lastLine;
  }
  return found;
}

/**
 * The workspace's file that a specifier means, or undefined for a package or a file that isn't there.
 *
 * @param from path of the importing file, forward slashes
 * @param has whether the workspace has a file
 */
export function resolveImport(
  specifier: string,
  from: string,
  has: (path: string) => boolean,
): string | undefined {
  const isPython = from.endsWith('.py');
  return (isPython ? pythonPaths(specifier, from) : scriptPaths(specifier, from)).find(has);
}

function scriptImport(lines: readonly string[], firstLine: number): Import | undefined {
  if (!SCRIPT_START.test(lines[firstLine]!)) return undefined;
  const end = Math.min(lines.length, firstLine + MOST_STATEMENT_LINES);
  for (let lastLine = firstLine; lastLine < end; lastLine++) {
    if (!SCRIPT_END.test(lines[lastLine]!)) continue;
    const statement = lines.slice(firstLine, lastLine + 1).join('\n');
    const specifier = SCRIPT_SPECIFIER.exec(statement)?.[1];
    return specifier === undefined
      ? undefined
      : { specifier, names: listed(/\{([^}]*)\}/.exec(statement)?.[1] ?? ''), firstLine, lastLine };
  }
  return undefined;
}

function pythonImport(lines: readonly string[], firstLine: number): Import | undefined {
  const from = PYTHON_FROM.exec(lines[firstLine]!);
  if (from === null) {
    const specifier = PYTHON_IMPORT.exec(lines[firstLine]!)?.[1];
    return specifier === undefined ? undefined : { specifier, names: [], firstLine, lastLine: firstLine };
  }
  const opens = from[2]!.includes('(') && !from[2]!.includes(')');
  const closing = opens ? lines.findIndex((line, i) => i > firstLine && line.includes(')')) : firstLine;
  const lastLine = closing === -1 ? firstLine : Math.min(closing, firstLine + MOST_STATEMENT_LINES);
  const statement = lines.slice(firstLine, lastLine + 1).join('\n');
  const names = listed(PYTHON_FROM.exec(statement)![2]!.replace(/[()]/g, ' '));
  return { specifier: from[1]!, names, firstLine, lastLine };
}

/** `type A, B as C` → A, B. */
function listed(names: string): string[] {
  return names
    .split(',')
    .map((name) => /^\s*(?:type\s+)?([\w$]+)/.exec(name)?.[1])
    .filter((name) => name !== undefined);
}

function scriptPaths(specifier: string, from: string): string[] {
  if (!specifier.startsWith('.')) return [];
  const joined = join(folderOf(from), specifier.split('/'));
  // A specifier `./a.js` means `a.ts` where the source is TypeScript.
  const stem = joined.replace(/\.[cm]?[jt]sx?$/, '');
  return [
    joined,
    ...SCRIPT_EXTENSIONS.map((extension) => stem + extension),
    ...SCRIPT_EXTENSIONS.map((extension) => `${stem}/index${extension}`),
  ];
}

function pythonPaths(specifier: string, from: string): string[] {
  const dots = /^\.*/.exec(specifier)![0].length;
  const steps = specifier.slice(dots).split('.').filter(Boolean);
  const folder = folderOf(from);
  const starts =
    dots > 0 ? [folder.slice(0, folder.length - (dots - 1))] : folder.map((_, i) => folder.slice(0, i));
  return [...starts, ...(dots > 0 ? [] : [folder])].flatMap((start) => {
    const stem = join(start, steps);
    return [`${stem}.py`, `${stem}/__init__.py`];
  });
}

function folderOf(path: string): string[] {
  return path.split('/').slice(0, -1);
}

function join(folder: readonly string[], steps: readonly string[]): string {
  const parts = [...folder];
  for (const step of steps) {
    if (step === '..') parts.pop();
    else if (step !== '.' && step !== '') parts.push(step);
  }
  return parts.join('/');
}
