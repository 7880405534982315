import type { TextDocument } from 'vscode';
import type { CompletionResponse } from '../common/contracts/index.ts';
import { confidenceOf, type Confidence } from '../common/suggestion/confidence.ts';
import type { ShownCompletion } from '../node/storeDatabase.ts';
import type { Made, Place } from './lookAhead.ts';
import { relativePath } from './policy.ts';

/** More than can wait for the suggest widget at once. */
const HELD_ROWS_MAX = 20;

interface RowParts {
  record: (completion: ShownCompletion) => void;
  /** Id of this window. */
  session: string;
  /** Of the folder that holds the document. */
  workspaceKey: (document: TextDocument) => string;
}

/** Rows of suggestions in the extension's store: written when one is displayed or withheld, and only once. */
export class ShownRows {
  readonly #parts: RowParts;
  /** Of suggestions that the suggest widget was in the way of: what was never displayed leaves none. */
  readonly #held = new Map<string, ShownCompletion>();

  constructor(parts: RowParts) {
    this.#parts = parts;
  }

  record(place: Place, made: Made, latencyMs: number): void {
    if (place.recorded) this.#parts.record(this.#rowOf(place, made, latencyMs));
  }

  /** Keeps the row for when the suggestion is displayed after all. */
  hold(place: Place, made: Made, latencyMs: number): void {
    if (!place.recorded) return;
    const row = this.#rowOf(place, made, latencyMs);
    this.#held.set(row.id, row);
    if (this.#held.size <= HELD_ROWS_MAX) return;
    const [oldest] = this.#held.keys();
    this.#held.delete(oldest!);
  }

  /** The suggestion is displayed now: records its row if it was held. */
  release(id: string): void {
    const row = this.#held.get(id);
    if (!row) return;
    this.#held.delete(id);
    this.#parts.record(row);
  }

  forget(): void {
    this.#held.clear();
  }

  #rowOf({ document, around, version }: Place, made: Made, latencyMs: number): ShownCompletion {
    const { response, rawText, text, filters } = made;
    return {
      id: response.id,
      createdAt: Date.now(),
      window: this.#parts.session,
      workspaceKey: this.#parts.workspaceKey(document),
      relativePath: relativePath(document),
      language: document.languageId,
      documentVersion: version,
      offset: around.offset,
      shownText: text,
      rawText,
      filters,
      adapterVersion: response.adapter_version,
      model: response.model,
      latencyMs,
      confidence: confidenceIn(response, made),
    };
  }
}

/** In what is shown; in the whole text when a filter wrote another one or hid it. */
function confidenceIn(
  { confidence }: CompletionResponse,
  { rawText, text }: Pick<Made, 'rawText' | 'text'>,
): Confidence | null {
  if (!confidence) return null;
  const chars = text !== '' && rawText.startsWith(text) ? text.length : rawText.length;
  return confidenceOf(confidence.token_logprobs, confidence.token_ends, chars);
}
