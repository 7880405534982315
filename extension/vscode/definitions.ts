import { readFile, stat } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import {
  commands,
  Position,
  workspace,
  type DocumentSymbol,
  type Location,
  type LocationLink,
  type Range,
  type TextDocument,
  type Uri,
} from 'vscode';
import type { PlaceName } from '../common/context/placeNames.ts';
import { wholeLines } from '../common/context/snippets.ts';
import type { ContextCandidate } from '../common/context/types.ts';
import { toLf } from '../common/outcome/offsets.ts';
import { contextPath } from './contextPath.ts';
import { documentKey } from './documentView.ts';

/** Names that are asked for in one pause. */
const ASKED_MAX = 6;
/** A server that is still loading the project takes longer, and is asked again in a later pause. */
const ANSWER_MS = 2000;
/** What a name means hardly changes while one types; what its definition says may. */
const KEPT_MS = 60_000;
const KEPT_NAMES = 500;
const DEFINITION_CHARS = 300;
const FILE_BYTES_MAX = 256 * 1024;

/** The definition of a name; null: there is none to show. */
type Found = Omit<ContextCandidate, 'score' | 'signals'> | null;

/**
 * Definitions of names near the caret, from the language server. They are asked for in pauses, a few at a time, and
 * kept by document and name: the version of the document changes with every key, what its names mean does not.
 */
export class Definitions {
  readonly #found = new LRUCache<string, { found: Found }>({ max: KEPT_NAMES, ttl: KEPT_MS });
  #isAsking = false;

  /** What is known of these names; asks nobody. */
  known(document: TextDocument, names: readonly PlaceName[]): ContextCandidate[] {
    return names.flatMap(({ name, distance }) => {
      const found = this.#found.get(keyOf(document, name))?.found;
      return found ? [{ ...found, score: 1 / (1 + distance), signals: { distance } }] : [];
    });
  }

  /** Asks for the names that are not known; does nothing while an earlier question is open. */
  async learn(document: TextDocument, names: readonly PlaceName[]): Promise<void> {
    const unknown = names.filter(({ name }) => !this.#found.has(keyOf(document, name))).slice(0, ASKED_MAX);
    if (this.#isAsking || unknown.length === 0) return;
    this.#isAsking = true;
    try {
      for (const { name, line, character } of unknown) {
        const found = await answerOf(definition(document.uri, new Position(line, character)));
        if (found !== undefined) this.#found.set(keyOf(document, name), { found });
      }
    } finally {
      this.#isAsking = false;
    }
  }
}

function keyOf(document: TextDocument, name: string): string {
  return `${name} ${documentKey(document)}`;
}

async function definition(uri: Uri, at: Position): Promise<Found> {
  const targets = await commands.executeCommand<(Location | LocationLink)[]>(
    'vscode.executeDefinitionProvider',
    uri,
    at,
  );
  const [target] = targets;
  if (target === undefined) return null;
  const [place, range] =
    'targetUri' in target ? [target.targetUri, target.targetRange] : [target.uri, target.range];
  if (place.scheme !== 'file' || !workspace.getWorkspaceFolder(place)) return null;
  const text = await textOf(place);
  if (text === null) return null;
  const { start, end } = range.isSingleLine ? await wholeSymbol(place, range) : range;
  const lines = text.split('\n').slice(0, end.line + 1);
  const shown = wholeLines(lines, start.line, DEFINITION_CHARS);
  if (shown === '') return null;
  return { source: 'definition', path: contextPath(place), firstLine: start.line, text: shown };
}

/** Where the server gave the name alone: the innermost symbol that has it as its name. */
async function wholeSymbol(uri: Uri, name: Range): Promise<Range> {
  const symbols = await commands.executeCommand<DocumentSymbol[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    uri,
  );
  let level = symbols ?? [];
  for (;;) {
    const around = level.find(({ range }) => range?.contains(name));
    if (!around) return name;
    if (around.selectionRange.contains(name.start)) return around.range;
    level = around.children;
  }
}

async function textOf(uri: Uri): Promise<string | null> {
  const open = workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open) return toLf(open.getText());
  if ((await stat(uri.fsPath)).size > FILE_BYTES_MAX) return null;
  return toLf(await readFile(uri.fsPath, 'utf8'));
}

/** Undefined: no answer in time, or an error of the server or the disk; the name may be asked for again. */
async function answerOf(asked: Promise<Found>): Promise<Found | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ANSWER_MS)));
  try {
    return await Promise.race([asked.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
