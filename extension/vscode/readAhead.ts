import {
  window,
  type Disposable,
  type Position,
  type TextDocument,
  type TextEditorSelectionChangeEvent,
} from 'vscode';
import { CACHE_CONTEXT_UNITS, type TypeThroughCache } from '../common/cache/typeThroughCache.ts';
import type { CompanionClient } from '../node/companionClient.ts';
import type { Log } from '../node/keptLog.ts';
import { documentKey } from './documentView.ts';
import type { Policy } from './policy.ts';
import { requestAt, type RequestParts } from './requestAt.ts';
import { surroundingsOf } from './surroundings.ts';

/** A caret that is on its way stays for less; a click selects twice. */
const SETTLED_MS = 40;

interface ReadAheadParts extends RequestParts {
  enabled: () => boolean;
  client: () => CompanionClient | null;
  policy: Policy;
  /** What it has a suggestion for is not read. */
  cache: TypeThroughCache;
  log: Pick<Log, 'debug'>;
}

/**
 * Has the model read the text around the caret when it comes to another line, so that the first suggestion there
 * waits for its own tokens alone. Keys on the same line don't end it: what it reads stands before them.
 */
export class ReadAhead implements Disposable {
  readonly #parts: ReadAheadParts;
  readonly #subscription: Disposable;
  #timer: NodeJS.Timeout | undefined;
  #abort: AbortController | undefined;
  #last: { document: TextDocument; line: number } | undefined;

  constructor(parts: ReadAheadParts) {
    this.#parts = parts;
    this.#subscription = window.onDidChangeTextEditorSelection((event) => this.#moved(event));
  }

  dispose(): void {
    this.stop();
    this.#subscription.dispose();
  }

  /** Gives up what is being read. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#last = undefined;
  }

  #moved({ textEditor, selections }: TextEditorSelectionChangeEvent): void {
    const [selection] = selections;
    if (!this.#parts.enabled() || selections.length > 1 || !selection?.isEmpty) return;
    const { document } = textEditor;
    const { line } = selection.active;
    if (this.#last?.document === document && this.#last.line === line) return;
    this.stop();
    this.#last = { document, line };
    this.#timer = setTimeout(() => {
      const abort = new AbortController();
      this.#abort = abort;
      // Keys may have come since: the caret as it is belongs to the text as it is.
      void this.#read(document, textEditor.selection.active, abort.signal);
    }, SETTLED_MS);
  }

  async #read(document: TextDocument, position: Position, signal: AbortSignal): Promise<void> {
    const { client, policy, cache, context, log } = this.#parts;
    const companion = client();
    if (!companion || !policy.mayComplete(document)) return;
    const around = surroundingsOf(document, position);
    const before = around.before.slice(-2 * CACHE_CONTEXT_UNITS);
    if (cache.find(documentKey(document), before, around.after.slice(0, 2 * CACHE_CONTEXT_UNITS))) return;
    context.begin(document, around);
    const place = { document, around, version: document.version, recorded: false };
    try {
      const { body } = await requestAt(this.#parts, place);
      await companion.complete({ ...body, max_tokens: 0 }, signal);
    } catch (error) {
      if (!signal.aborted) log.debug(`Reading ahead: ${(error as Error).message}`);
    }
  }
}
