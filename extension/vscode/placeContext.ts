import { Position, Range, window, workspace, type Disposable, type TextDocument } from 'vscode';
import { ContextBudget } from '../common/context/budget.ts';
import type { ContextAsk } from '../common/context/gather.ts';
import { HeldContext, type ContextPlace } from '../common/context/heldContext.ts';
import { DEFAULT_CONTEXT_PLAN, type ContextPlan, type PackedContext } from '../common/context/pack.ts';
import type { ContextFile } from '../common/context/types.ts';
import { NAME_LINES, namesNear, type PlaceName } from '../common/context/placeNames.ts';
import type { CompletionResponse } from '../common/contracts/index.ts';
import type { Settings } from '../common/contributions.ts';
import { toLf } from '../common/outcome/offsets.ts';
import type { Surroundings } from '../common/suggestion/surroundings.ts';
import { withoutOwnClosers } from '../common/prompt/ownClosers.ts';
import { partialWindow } from '../common/suggestion/partialWindow.ts';
import type { ContextThread } from '../node/contextThread.ts';
import type { PlaceQuery } from '../workspace/workspaceIndex.ts';
import { contextPath } from './contextPath.ts';
import { Definitions } from './definitions.ts';
import { documentKey } from './documentView.ts';
import { relativePath, type Policy } from './policy.ts';

/** How long a request waits for a context that was asked for when its key was pressed. */
const WAIT_MS = 5;
/** Import statements stand at the beginning of a document. */
const IMPORTS_UNITS = 8000;
/** What is read of a document above its window: of a longer one the beginning. */
const ABOVE_UNITS = 60_000;
/** The language server is asked after so long without a key or a move. */
const PAUSE_MS = 600;

interface PlaceParts {
  settings: () => Settings;
  policy: Policy;
  thread: ContextThread;
  recent: () => readonly string[];
}

/** What is shown to the model beside the text around a caret. */
export class PlaceContext implements Disposable {
  readonly #parts: PlaceParts;
  readonly #held = new HeldContext<PackedContext>();
  readonly #budget = new ContextBudget();
  readonly #definitions = new Definitions();
  readonly #disposables: Disposable[];
  #pause: NodeJS.Timeout | undefined;
  /** The question that is not answered yet: the next key doesn't ask a second one. */
  #asking: Promise<void> | undefined;

  constructor(parts: PlaceParts) {
    this.#parts = parts;
    this.#disposables = [
      window.onDidChangeTextEditorSelection(() => this.#pauseSoon()),
      window.onDidChangeActiveTextEditor(() => this.#pauseSoon()),
    ];
  }

  /**
   * Called when a request begins, before its debounce time: where the held context isn't of this place any more, the
   * index looks for another one meanwhile.
   */
  begin(document: TextDocument, around: Surroundings): void {
    if (this.#parts.settings().context === 'off') return;
    const place = placeOf(document, around);
    if (this.#held.at(place) !== undefined || this.#asking) return;
    const asking = this.#parts.thread.ask(this.#question(document, around)).then((context) => {
      // What may be shown has changed meanwhile.
      if (this.#asking !== asking) return;
      this.#asking = undefined;
      if (context) this.#held.hold(place, context);
    });
    this.#asking = asking;
  }

  /**
   * Called when the request goes out. An answer that isn't there in time serves the next request, and this one gets
   * what the last question at this place gave.
   */
  async filesAt(document: TextDocument, around: Surroundings): Promise<ContextFile[]> {
    if (this.#parts.settings().context === 'off') return [];
    await this.#answered();
    return this.#held.last(placeOf(document, around))?.files ?? [];
  }

  /** How fast prompts are read says how much context the next ones may have. */
  readSpeed({ usage, timings }: CompletionResponse): void {
    this.#budget.read(usage.prompt_tokens - timings.cached_tokens, timings.prompt);
  }

  /** What the context of a place is now, waited for, and why; for the explanation. */
  async now(document: TextDocument, around: Surroundings): Promise<PackedContext | null> {
    if (this.#parts.settings().context === 'off') return null;
    return this.#parts.thread.ask(this.#question(document, around));
  }

  /** What may be shown has changed. */
  forget(): void {
    this.#held.clear();
    this.#asking = undefined;
  }

  dispose(): void {
    clearTimeout(this.#pause);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #answered(): Promise<void> {
    if (!this.#asking) return;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.#asking, new Promise((resolve) => (timer = setTimeout(resolve, WAIT_MS)))]);
    clearTimeout(timer);
  }

  #question(document: TextDocument, around: Surroundings): PlaceQuery {
    const { before, after, lfOffset, offset } = around;
    const seen = withoutOwnClosers(before, after);
    const { prefix, suffix, start } = partialWindow(before, seen, lfOffset, relativePath(document));
    const ask: ContextAsk = {
      path: contextPath(document.uri),
      prefix,
      suffix,
      above: beginningOf(document, ABOVE_UNITS).slice(0, start),
      recent: this.#parts.recent(),
    };
    const definitions = this.#definitions.known(document, namesAt(document, document.positionAt(offset)));
    return { ask, definitions, plan: this.#plan() };
  }

  #plan(): ContextPlan {
    const { contextSources: sources } = this.#parts.settings();
    return { ...DEFAULT_CONTEXT_PLAN, sources, budgetTokens: this.#budget.tokens };
  }

  #pauseSoon(): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => void this.#learn(), PAUSE_MS);
  }

  /** Asks the language server for what stands near the caret, off the typing path. */
  async #learn(): Promise<void> {
    const editor = window.activeTextEditor;
    const { settings, policy } = this.#parts;
    if (!editor || !workspace.isTrusted || settings().context === 'off') return;
    if (!settings().contextSources.includes('definition') || !policy.mayComplete(editor.document)) return;
    await this.#definitions.learn(editor.document, namesAt(editor.document, editor.selection.active));
  }
}

/** Of a place that is prepared for, the nearest one in the document as it is. */
function placeOf(document: TextDocument, { offset }: Surroundings): ContextPlace {
  return { document: documentKey(document), line: document.positionAt(offset).line, atMs: Date.now() };
}

/** Names near a caret that are worth a definition, with their places in the document. */
function namesAt(document: TextDocument, caret: Position): PlaceName[] {
  const firstLine = Math.max(0, caret.line - NAME_LINES + 1);
  const before = toLf(document.getText(new Range(new Position(firstLine, 0), caret)));
  const names = namesNear(beginningOf(document, IMPORTS_UNITS), before);
  return names.map((name) => ({ ...name, line: name.line + firstLine }));
}

/** LF. */
function beginningOf(document: TextDocument, units: number): string {
  return toLf(document.getText(new Range(new Position(0, 0), document.positionAt(units))));
}
