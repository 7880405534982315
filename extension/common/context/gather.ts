/** Everything that could be shown beside the document, with its score. Pure. */
import type { FileIndex, QueryWords } from './fileIndex.ts';
import { declarationOf } from './definition.ts';
import { importsOf, resolveImport, type Import } from './imports.ts';
import { outlineOf } from './outline.ts';
import { packContext, type ContextPlan, type PackedContext } from './pack.ts';
import { NAME_LINES } from './placeNames.ts';
import { queryWords } from './query.ts';
import { bestSnippet } from './snippets.ts';
import type { ContextCandidate, ContextSource } from './types.ts';

/** The files of a workspace as retrieval sees them. */
export interface Workspace {
  index: FileIndex;
  /** LF text of a file; undefined when it can't be read any more. */
  textOf: (path: string) => string | undefined;
}

export interface ContextAsk {
  /** Of the document, relative to the workspace, forward slashes. */
  path: string;
  /** Text before and after the caret as the prompt shows it, LF. */
  prefix: string;
  suffix: string;
  /** Text of the document above the prefix, or its first part: where its imports are. LF. */
  above: string;
  /** Files that were viewed or edited lately, the last one first. */
  recent: readonly string[];
}

/** Files that are looked into for the snippet that fits best. */
const FILES_MAX = 24;
/** Files that are compared with their boosts counted in; of a large workspace, thousands have some word in common. */
const COMPARED_MAX = 200;
const SNIPPET_CHARS = 300;
const DEFINITION_CHARS = 200;
const OWN_IMPORTS_CHARS = 240;
const OUTLINE_CHARS = 300;
/** What a file's score is multiplied by. */
const BOOSTS = { sameFolder: 1.1, imported: 1.3, recent: 1.3 };
/** Of the files viewed or edited lately, those that count. */
const RECENT_FILES = 8;

/**
 * What the model is shown of the workspace, and what became of each candidate.
 *
 * @param known candidates from elsewhere, such as a language server's definitions; they come first
 */
export function contextFor(
  workspace: Workspace,
  ask: ContextAsk,
  plan: ContextPlan,
  known: readonly ContextCandidate[] = [],
): PackedContext {
  const candidates = [...known, ...gatherCandidates(workspace, ask, plan.sources)];
  return packContext(candidates, plan, ask.prefix + ask.suffix);
}

/** Candidates of the sources; within a source the best first. Others are not looked for. */
export function gatherCandidates(
  workspace: Workspace,
  ask: ContextAsk,
  sources: readonly ContextSource[],
): ContextCandidate[] {
  const document = ask.above + ask.prefix;
  const imports = importsOf(document);
  const find: Record<ContextSource, () => ContextCandidate[]> = {
    ownImports: () => ownImports(ask, imports, document),
    outline: () => outline(workspace, ask),
    definition: () => definitions(workspace, ask, imports),
    similar: () => similarCode(workspace, ask, imports),
  };
  return sources.flatMap((source) => find[source]());
}

/** The document's import lines that the window doesn't reach. */
function ownImports(
  { path, above }: ContextAsk,
  imports: readonly Import[],
  document: string,
): ContextCandidate[] {
  const linesAbove = above.split('\n').length - 1;
  const unseen = imports.filter((one) => one.lastLine < linesAbove);
  const lines = document.split('\n');
  let text = '';
  for (const { firstLine, lastLine } of unseen) {
    const statement = `${lines.slice(firstLine, lastLine + 1).join('\n')}\n`;
    if (text.length + statement.length <= OWN_IMPORTS_CHARS) text += statement;
  }
  if (text === '') return [];
  return [{ source: 'ownImports', path, firstLine: unseen[0]!.firstLine, text, score: 1, signals: {} }];
}

/** The document's declarations outside of the window. */
function outline({ textOf }: Workspace, { path, above, prefix, suffix }: ContextAsk): ContextCandidate[] {
  const from = above.split('\n').length - 1;
  const shown = { from, to: from + (prefix + suffix).split('\n').length };
  const found = outlineOf(textOf(path) ?? '', shown, OUTLINE_CHARS);
  return found === undefined ? [] : [{ source: 'outline', path, ...found, score: 1, signals: {} }];
}

/** Definitions of imported names that are used near the caret; the nearest use first. */
function definitions(
  { index, textOf }: Workspace,
  { path, prefix, suffix }: ContextAsk,
  imports: readonly Import[],
): ContextCandidate[] {
  const near = [...prefix.split('\n').slice(-NAME_LINES).reverse(), ...suffix.split('\n')];
  return imports
    .flatMap(({ specifier, names }) => {
      const target = resolveImport(specifier, path, (file) => index.has(file));
      return target === undefined || target === path ? [] : names.map((name) => ({ name, target }));
    })
    .map((one) => ({ ...one, distance: near.findIndex((line) => usesName(line, one.name)) }))
    .filter(({ distance }) => distance !== -1)
    .sort((a, b) => a.distance - b.distance)
    .flatMap(({ name, target, distance }): ContextCandidate[] => {
      const found = declarationOf(textOf(target) ?? '', name, DEFINITION_CHARS);
      const score = 1 / (1 + distance);
      return found ? [{ source: 'definition', path: target, ...found, score, signals: { distance } }] : [];
    });
}

/** The snippet that fits best of each of the files that fit best. */
function similarCode(
  { index, textOf }: Workspace,
  { path, prefix, suffix, recent }: ContextAsk,
  imports: readonly Import[],
): ContextCandidate[] {
  const query = queryWords(prefix, suffix);
  const imported = new Set(
    imports.map(({ specifier }) => resolveImport(specifier, path, (file) => index.has(file))),
  );
  const lately = new Set(recent.slice(0, RECENT_FILES));
  const weights = new Map([...query.keys()].map((word) => [word, index.weight(word)]));
  // Of other words only that they are there counts.
  const weight = (word: string): number => weights.get(word) ?? 0;
  return index
    .match(query, COMPARED_MAX)
    .filter((file) => file.path !== path)
    .map((file) => ({ ...file, signals: signalsOf(file.path) }))
    .map((file) => ({ ...file, score: file.score * product(Object.values(file.signals)) }))
    .sort(byScore)
    .slice(0, FILES_MAX)
    .flatMap((file) => snippetOf(file.path, file.signals, query))
    .sort(byScore);

  function signalsOf(file: string): Record<string, number> {
    return {
      ...(folderOf(file) === folderOf(path) ? { sameFolder: BOOSTS.sameFolder } : {}),
      ...(imported.has(file) ? { imported: BOOSTS.imported } : {}),
      ...(lately.has(file) ? { recent: BOOSTS.recent } : {}),
    };
  }

  function snippetOf(file: string, signals: Record<string, number>, words: QueryWords): ContextCandidate[] {
    const snippet = bestSnippet(textOf(file) ?? '', words, weight, SNIPPET_CHARS);
    if (snippet === undefined) return [];
    const score = snippet.score * product(Object.values(signals));
    return [{ source: 'similar', path: file, ...snippet, score, signals }];
  }
}

function usesName(line: string, name: string): boolean {
  const at = line.indexOf(name);
  return at !== -1 && !/[\w$]/.test(line[at - 1] ?? ' ') && !/[\w$]/.test(line[at + name.length] ?? ' ');
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function product(factors: readonly number[]): number {
  return factors.reduce((result, factor) => result * factor, 1);
}

function byScore(a: { score: number; path: string }, b: { score: number; path: string }): number {
  return b.score - a.score || (a.path < b.path ? -1 : 1);
}
