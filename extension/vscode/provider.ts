import {
  InlineCompletionItem,
  InlineCompletionTriggerKind,
  Range,
  type CancellationToken,
  type InlineCompletionContext,
  type InlineCompletionItemProvider,
  type LogOutputChannel,
  type Position,
  type TextDocument,
} from 'vscode';
import { servedByOf } from '../common/cache/servedBy.ts';
import { CACHE_CONTEXT_UNITS, type TypeThroughCache } from '../common/cache/typeThroughCache.ts';
import { ACCEPTED_COMMAND, type Settings } from '../common/contributions.ts';
import type { CompletionResponse } from '../common/contracts/index.ts';
import { applyFilters, describeSteps } from '../common/filters/index.ts';
import { lineRequest } from '../common/prompt/request.ts';
import type { PromptWindow } from '../common/prompt/window.ts';
import { maskAround } from '../common/secrets/mask.ts';
import { confidenceOf, type Confidence } from '../common/suggestion/confidence.ts';
import { partialWindow } from '../common/suggestion/partialWindow.ts';
import { joinSelection, placeSuggestion } from '../common/suggestion/present.ts';
import { shapeOf, type Shape } from '../common/syntax/shape.ts';
import type { Syntax } from '../common/syntax/types.ts';
import type { CompanionClient } from '../node/companionClient.ts';
import type { ShownCompletion } from '../node/storeDatabase.ts';
import type { Capture } from './capture.ts';
import { documentKey } from './documentView.ts';
import { relativePath, type Policy } from './policy.ts';
import { surroundingsOf, type Surroundings } from './surroundings.ts';

/** More than can wait for the suggest widget at once. */
const HELD_ROWS_MAX = 20;

interface ProviderParts {
  settings: () => Settings;
  policy: Policy;
  client: () => CompanionClient | null;
  capture: Capture;
  cache: TypeThroughCache;
  /** What parses a language, once it is loaded. */
  syntaxOf: (languageId: string) => Syntax | undefined;
  record: (completion: ShownCompletion) => void;
  /** Id of this window. */
  session: string;
  workspaceKey: () => string;
  log: LogOutputChannel;
}

/** One request of the editor. */
interface Ask {
  document: TextDocument;
  position: Position;
  context: InlineCompletionContext;
  around: Surroundings;
  /** Of the document. */
  version: number;
  /** What happens to the answer may be written down. */
  recorded: boolean;
}

/** Answers the editor from the cache or from the companion; one item a request. */
export class HoneProvider implements InlineCompletionItemProvider {
  readonly #parts: ProviderParts;
  readonly #ids = new WeakMap<InlineCompletionItem, string>();
  /** Requests that wait for their answer. */
  readonly #waiting = new Set<AbortController>();
  /** Rows of suggestions that the suggest widget was in the way of: what was never displayed leaves none. */
  readonly #heldRows = new Map<string, ShownCompletion>();

  constructor(parts: ProviderParts) {
    this.#parts = parts;
  }

  /** Completion id of an item that this provider gave. */
  idOf(item: InlineCompletionItem): string | undefined {
    return this.#ids.get(item);
  }

  /** Gives up what is asked for: an aborted request leaves no record with the companion. */
  forget(): void {
    for (const abort of this.#waiting) abort.abort();
    this.#waiting.clear();
    this.#heldRows.clear();
  }

  async provideInlineCompletionItems(
    document: TextDocument,
    position: Position,
    context: InlineCompletionContext,
    token: CancellationToken,
  ): Promise<InlineCompletionItem[]> {
    const { policy, cache, capture, settings } = this.#parts;
    if (!policy.mayComplete(document)) return [];
    const around = surroundingsOf(document, position);
    const { version } = document;
    const ask: Ask = { document, position, context, around, version, recorded: capture.recording };
    const contextUnits = 2 * CACHE_CONTEXT_UNITS;
    const hit = cache.find(
      documentKey(document),
      around.before.slice(-contextUnits),
      around.after.slice(0, contextUnits),
    );
    if (hit) {
      const { id, text } = hit.suggestion;
      const items = this.#give(ask, id, text.slice(hit.typed), [], hit.replaced);
      const row = this.#heldRows.get(id);
      if (row && items.length > 0) this.#record(row);
      return items;
    }
    if (context.triggerKind === InlineCompletionTriggerKind.Automatic) {
      await cancelled(token, settings().debounceMs);
    }
    if (token.isCancellationRequested || document.version !== version) return [];
    return this.#request({ ...ask, recorded: capture.recording }, token);
  }

  async #request(ask: Ask, token: CancellationToken): Promise<InlineCompletionItem[]> {
    const { client, log, settings } = this.#parts;
    const companion = client();
    if (!companion) return [];
    const { document, around, version } = ask;
    const { before, after } = maskAround(around.before, around.after);
    const window = partialWindow(before, after, around.lfOffset, relativePath(document));
    const body = lineRequest(window, {
      workspace: this.#parts.workspaceKey(),
      language: document.languageId,
      session: this.#parts.session,
      documentVersion: version,
      offset: around.lfOffset,
      record: ask.recorded,
    });
    const { temperature, multiline, maxTokens } = settings();
    const shape = shapeOf(around.before, around.after, multiline, this.#parts.syntaxOf(document.languageId));
    body.max_tokens = maxTokens;
    body.stop = shape.stop;
    if (temperature !== null) body.temperature = temperature;

    const abort = new AbortController();
    const subscription = token.onCancellationRequested(() => abort.abort());
    this.#waiting.add(abort);
    const began = Date.now();
    try {
      const response = await companion.complete(body, abort.signal);
      if (!this.#waiting.has(abort)) return [];
      // An answer for a document that has changed since can't be shown.
      const changed = document.version !== version;
      if (abort.signal.aborted || changed) {
        const rawText = response.choices[0]!.text;
        const facts = { ...this.#facts(ask, response.id, []), suggestWidget: false, rawText };
        this.#parts.capture.dropped(document, facts, changed);
        return [];
      }
      return this.#answer(ask, response, { ...window, ...shape }, Date.now() - began);
    } catch (error) {
      if (!abort.signal.aborted) log.warn(`Completion: ${(error as Error).message}`);
      return [];
    } finally {
      this.#waiting.delete(abort);
      subscription.dispose();
    }
  }

  #answer(
    ask: Ask,
    response: CompletionResponse,
    window: PromptWindow & Shape,
    latencyMs: number,
  ): InlineCompletionItem[] {
    const { cache, capture, log } = this.#parts;
    const { document, around } = ask;
    const { text: rawText, finish_reason: finishReason } = response.choices[0]!;
    const context = { ...window, truncated: finishReason === 'length' };
    const { text, filters, steps, hiddenBy, silent } = applyFilters(rawText, context);
    log.debug(
      `Completion ${response.id} in ${latencyMs} ms, ${text.length} characters: ${describeSteps(steps)}`,
    );
    if (text === '') {
      this.#record(this.#rowOf(ask, response, { rawText, text, filters, latencyMs }));
      const by = silent ? null : (hiddenBy ?? filters.at(-1) ?? 'empty');
      capture.withheld(document, {
        ...this.#facts(ask, response.id, filters),
        suggestWidget: ask.context.selectedCompletionInfo !== undefined,
        rawText,
        by,
      });
      return [];
    }
    cache.put({
      id: response.id,
      document: documentKey(document),
      before: around.before,
      after: around.after,
      text,
      servedBy: servedByOf(response),
    });
    const items = this.#give(ask, response.id, text, filters, 0);
    const row = this.#rowOf(ask, response, { rawText, text, filters, latencyMs });
    if (items.length > 0) this.#record(row);
    else this.#holdRow(row);
    return items;
  }

  /** Hands a suggestion to the editor, or keeps it for when the suggest widget is out of the way. */
  #give(
    ask: Ask,
    id: string,
    text: string,
    filters: string[],
    replacedAtLeast: number,
  ): InlineCompletionItem[] {
    const { document, position, around, context } = ask;
    const { capture } = this.#parts;
    const { insertText, replaced } = placeSuggestion(text, { ...around, replacedAtLeast });
    const selected = context.selectedCompletionInfo;
    const start = selected && selected.range.start.isBefore(position) ? selected.range.start : position;
    const typed = document.getText(new Range(start, position));
    const whole = selected ? joinSelection(typed, selected.text, insertText) : insertText;
    const facts = this.#facts(ask, id, filters);
    if (whole === undefined) {
      capture.held(document, { ...facts, start: around.offset, replaced, insertText, suggestWidget: true });
      return [];
    }
    const range = new Range(start, position.translate(0, replaced));
    const item = new InlineCompletionItem(whole, range, {
      command: ACCEPTED_COMMAND,
      title: 'Accepted',
      arguments: [id],
    });
    this.#ids.set(item, id);
    capture.offered(document, {
      ...facts,
      start: document.offsetAt(start),
      replaced,
      insertText: whole,
      suggestWidget: selected !== undefined,
    });
    return [item];
  }

  #facts({ document, around, version }: Ask, id: string, filters: string[]) {
    return {
      id,
      document: documentKey(document),
      caret: around.offset,
      filters,
      language: document.languageId,
      relativePath: relativePath(document),
      workspaceKey: this.#parts.workspaceKey(),
      documentVersion: version,
      session: this.#parts.session,
    };
  }

  #rowOf(
    { document, around, version, recorded }: Ask,
    response: CompletionResponse,
    shown: { rawText: string; text: string; filters: string[]; latencyMs: number },
  ): ShownCompletion | undefined {
    if (!recorded) return undefined;
    return {
      id: response.id,
      createdAt: Date.now(),
      window: this.#parts.session,
      workspaceKey: this.#parts.workspaceKey(),
      relativePath: relativePath(document),
      language: document.languageId,
      documentVersion: version,
      offset: around.offset,
      shownText: shown.text,
      rawText: shown.rawText,
      filters: shown.filters,
      adapterVersion: response.adapter_version,
      model: response.model,
      latencyMs: shown.latencyMs,
      confidence: confidenceIn(response, shown),
    };
  }

  #record(row: ShownCompletion | undefined): void {
    if (!row) return;
    this.#heldRows.delete(row.id);
    this.#parts.record(row);
  }

  #holdRow(row: ShownCompletion | undefined): void {
    if (!row) return;
    this.#heldRows.set(row.id, row);
    if (this.#heldRows.size <= HELD_ROWS_MAX) return;
    const [oldest] = this.#heldRows.keys();
    this.#heldRows.delete(oldest!);
  }
}

/** In what is shown; in the whole text when a filter wrote another one or hid it. */
function confidenceIn(
  { confidence }: CompletionResponse,
  { rawText, text }: { rawText: string; text: string },
): Confidence | null {
  if (!confidence) return null;
  const chars = text !== '' && rawText.startsWith(text) ? text.length : rawText.length;
  return confidenceOf(confidence.token_logprobs, confidence.token_ends, chars);
}

/** Resolves after the time, or at once when the request is cancelled. */
function cancelled(token: CancellationToken, ms: number): Promise<void> {
  if (token.isCancellationRequested) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    const subscription = token.onCancellationRequested(done);
    function done(): void {
      clearTimeout(timer);
      subscription.dispose();
      resolve();
    }
  });
}
