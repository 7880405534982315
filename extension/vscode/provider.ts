import {
  InlineCompletionItem,
  InlineCompletionTriggerKind,
  Range,
  type CancellationToken,
  type InlineCompletionContext,
  type InlineCompletionItemProvider,
  type Position,
  type TextDocument,
} from 'vscode';
import { servedByOf } from '../common/cache/servedBy.ts';
import { CACHE_CONTEXT_UNITS, type TypeThroughCache } from '../common/cache/typeThroughCache.ts';
import { ACCEPTED_COMMAND, type Settings } from '../common/contributions.ts';
import type { DisplayDecision } from '../common/contracts/index.ts';
import { drawOf, hideUnlikely } from '../common/display/decision.ts';
import { applyFilters, describeSteps } from '../common/filters/index.ts';
import { afterAccepting } from '../common/suggestion/surroundings.ts';
import { joinSelection, placeSuggestion } from '../common/suggestion/present.ts';
import { shapeOf } from '../common/syntax/shape.ts';
import type { Syntax } from '../common/syntax/types.ts';
import { TypingPause } from '../common/timing/typingPause.ts';
import type { CompanionClient } from '../node/companionClient.ts';
import type { Log } from '../node/keptLog.ts';
import type { ShownCompletion } from '../node/storeDatabase.ts';
import type { Capture } from './capture.ts';
import { documentKey } from './documentView.ts';
import { relativePath, type Policy } from './policy.ts';
import { requestAt, type RequestParts } from './requestAt.ts';
import { ShownRows } from './shownRows.ts';
import { LookAhead, type Made, type Place } from './lookAhead.ts';
import { surroundingsOf } from './surroundings.ts';
import { Turns, type Turn } from './turns.ts';

interface ProviderParts extends RequestParts {
  settings: () => Settings;
  policy: Policy;
  client: () => CompanionClient | null;
  capture: Capture;
  cache: TypeThroughCache;
  /** What parses a language, once it is loaded. */
  syntaxOf: (languageId: string) => Syntax | undefined;
  record: (completion: ShownCompletion) => void;
  log: Log;
}

/** One request of the editor. */
interface Ask extends Place {
  position: Position;
  context: InlineCompletionContext;
}

/** Answers the editor from the cache or from the companion; one item a request. */
export class HoneProvider implements InlineCompletionItemProvider {
  readonly #parts: ProviderParts;
  readonly #ids = new WeakMap<InlineCompletionItem, string>();
  readonly #turns = new Turns();
  readonly #pause = new TypingPause();
  readonly #rows: ShownRows;
  readonly #lookAhead: LookAhead;

  constructor(parts: ProviderParts) {
    this.#parts = parts;
    this.#rows = new ShownRows(parts);
    this.#lookAhead = new LookAhead(async (place, signal) => {
      const companion = parts.client();
      if (!companion || !parts.capture.displays(place.document)) return null;
      return this.#complete(companion, place, signal, { ahead: true, invoked: false });
    }, parts.log);
  }

  /** Completion id of an item that this provider gave. */
  idOf(item: InlineCompletionItem): string | undefined {
    return this.#ids.get(item);
  }

  /** Gives up what is asked for: an aborted request leaves no record with the companion. */
  forget(): void {
    this.#turns.forget();
    this.#rows.forget();
    this.#lookAhead.stop();
  }

  async provideInlineCompletionItems(
    document: TextDocument,
    position: Position,
    context: InlineCompletionContext,
    token: CancellationToken,
  ): Promise<InlineCompletionItem[]> {
    const { policy, cache, capture } = this.#parts;
    if (!policy.mayComplete(document)) return [];
    if (context.triggerKind === InlineCompletionTriggerKind.Automatic) this.#pause.key(performance.now());
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
      this.#turns.end(documentKey(document));
      const { id, text } = hit.suggestion;
      const items = this.#give(ask, { id, text: text.slice(hit.typed), filters: [] }, hit.replaced);
      if (items.length > 0) this.#rows.release(id);
      return items;
    }
    return this.#turns.take(documentKey(document), token, async (turn) => {
      const prepared = await this.#lookAhead.takeAt(ask, token);
      if (prepared && cache.isServed(servedByOf(prepared.response))) {
        const items = await this.#whileWaiting(ask, turn, (companion) =>
          this.#claim(companion, ask, prepared),
        );
        if (items) return items;
      }
      return this.#ask(ask, turn);
    });
  }

  /** Asks the companion, after a pause in typing. */
  async #ask(ask: Ask, turn: Turn): Promise<InlineCompletionItem[]> {
    const { settings, capture } = this.#parts;
    const { document, around, version, context } = ask;
    this.#parts.context.begin(document, around);
    if (context.triggerKind === InlineCompletionTriggerKind.Automatic) {
      await turn.pause(this.#pause.waitMs(settings().debounceMs));
    }
    if (turn.signal.aborted || document.version !== version) return [];
    const now = { ...ask, recorded: capture.recording };
    const invoked = context.triggerKind === InlineCompletionTriggerKind.Invoke;
    const began = performance.now();
    const items = await this.#whileWaiting(now, turn, async (companion) => {
      const made = await this.#complete(companion, now, turn.signal, { ahead: false, invoked });
      this.#pause.answered(performance.now() - began);
      return made;
    });
    return items ?? [];
  }

  /** What was prepared, once the companion has recorded that it is shown; null when it can't. */
  async #claim(companion: CompanionClient, { version, recorded }: Ask, made: Made): Promise<Made | null> {
    if (!recorded) return made;
    try {
      await companion.shown({ id: made.response.id, document_version: version });
      return made;
    } catch (error) {
      this.#parts.log.debug(`Look-ahead: ${(error as Error).message}`);
      return null;
    }
  }

  /** What the companion writes at a place, filtered. Throws as the client does. */
  async #complete(
    companion: CompanionClient,
    place: Place,
    signal: AbortSignal,
    how: { ahead: boolean; invoked: boolean },
  ): Promise<Made> {
    const { settings } = this.#parts;
    const { document, around } = place;
    const { body, window } = await requestAt(this.#parts, place);
    const { temperature, multiline, maxTokens, displayFilter } = settings();
    const shape = shapeOf(around.before, around.after, multiline, this.#parts.syntaxOf(document.languageId));
    body.max_tokens = maxTokens;
    body.stop = shape.stop;
    if (temperature !== null) body.temperature = temperature;
    if (how.ahead) body.look_ahead = true;
    const response = await companion.complete(body, signal);
    // One of low priority waits for others meanwhile.
    if (!how.ahead) this.#parts.context.readSpeed(response);
    const { text: rawText, finish_reason: finishReason } = response.choices[0]!;
    const context = { ...window, ...shape, truncated: finishReason === 'length' };
    const filtered = applyFilters(rawText, context);
    // What the user asks for is shown, however unlikely.
    const mayHide = displayFilter === 'on' && !how.invoked;
    const made = mayHide ? hideUnlikely(filtered, response.acceptance, drawOf(response.id)) : filtered;
    return { ...made, response, rawText };
  }

  /** Waits for an answer and shows it, unless it comes too late. Null: there is none, or no companion. */
  async #whileWaiting(
    ask: Ask,
    turn: Turn,
    make: (companion: CompanionClient) => Promise<Made | null>,
  ): Promise<InlineCompletionItem[] | null> {
    const { client, capture, log } = this.#parts;
    const companion = client();
    if (!companion) return null;
    const began = Date.now();
    try {
      const made = await make(companion);
      if (made === null) return null;
      if (turn.forgotten) return [];
      // An answer for a document that has changed since can't be shown.
      const changed = ask.document.version !== ask.version;
      if (turn.signal.aborted || changed) {
        const { response, rawText } = made;
        const facts = { ...this.#facts(ask, response.id, []), suggestWidget: false, rawText };
        capture.dropped(ask.document, facts, changed);
        return [];
      }
      return this.#answer(ask, made, Date.now() - began);
    } catch (error) {
      if (!turn.signal.aborted) log.warn(`Completion: ${(error as Error).message}`);
      return [];
    }
  }

  #answer(ask: Ask, made: Made, latencyMs: number): InlineCompletionItem[] {
    const { cache, capture, log } = this.#parts;
    const { document, around } = ask;
    const { response, rawText, text, filters, steps, hiddenBy, silent, display } = made;
    log.debug(
      `Completion ${response.id} in ${latencyMs} ms, ${text.length} characters: ${describeSteps(steps)}`,
    );
    if (text === '') {
      this.#rows.record(ask, made, latencyMs);
      const by = silent ? null : (hiddenBy ?? filters.at(-1) ?? 'empty');
      capture.withheld(document, {
        ...this.#facts(ask, response.id, filters),
        display,
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
    const items = this.#give(ask, { id: response.id, text, filters, display }, 0);
    if (items.length === 0) {
      this.#rows.hold(ask, made, latencyMs);
      return items;
    }
    this.#rows.record(ask, made, latencyMs);
    if (this.#parts.settings().lookAhead) this.#prepareNext(ask, text, items[0]!);
    return items;
  }

  #prepareNext(ask: Ask, text: string, { range }: InlineCompletionItem): void {
    const replaced = range!.end.character - ask.position.character;
    this.#lookAhead.prepare({ ...ask, around: afterAccepting(ask.around, text, replaced) });
  }

  /** Hands a suggestion to the editor, or keeps it for when the suggest widget is out of the way. */
  #give(
    ask: Ask,
    suggestion: { id: string; text: string; filters: string[]; display?: DisplayDecision | undefined },
    replacedAtLeast: number,
  ): InlineCompletionItem[] {
    const { document, position, around, context } = ask;
    const { id, text, filters, display } = suggestion;
    const { capture } = this.#parts;
    const { insertText, replaced } = placeSuggestion(text, { ...around, replacedAtLeast });
    const selected = context.selectedCompletionInfo;
    const start = selected && selected.range.start.isBefore(position) ? selected.range.start : position;
    const typed = document.getText(new Range(start, position));
    const whole = selected ? joinSelection(typed, selected.text, insertText) : insertText;
    const facts = { ...this.#facts(ask, id, filters), display };
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
      workspaceKey: this.#parts.workspaceKey(document),
      documentVersion: version,
      session: this.#parts.session,
    };
  }
}
