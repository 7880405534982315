import type { CancellationToken, TextDocument } from 'vscode';
import type { CompletionResponse, DisplayDecision } from '../common/contracts/index.ts';
import type { FilterResult } from '../common/filters/index.ts';
import { samePlace, type Surroundings } from '../common/suggestion/surroundings.ts';
import type { Log } from '../node/keptLog.ts';

/** A suggestion that stands for this long is being read; most are typed over before. */
const READING_MS = 200;

/** A place of a document, as it is or as it will be. */
export interface Place {
  document: TextDocument;
  around: Surroundings;
  /** Of the document. */
  version: number;
  /** What happens to the answer may be written down. */
  recorded: boolean;
}

/** An answer of the companion, filtered. */
export interface Made extends FilterResult {
  /** Absent where the display filter is off or has nothing to decide. */
  display?: DisplayDecision;
  response: CompletionResponse;
  rawText: string;
}

interface Preparation {
  place: Place;
  abort: AbortController;
  /** Null: nothing to show there. */
  made: Promise<Made | null>;
}

/**
 * Prepares what follows the suggestion on display, as if it was accepted. It is kept for that one place; what is not
 * shown there is forgotten.
 */
export class LookAhead {
  readonly #make: (place: Place, signal: AbortSignal) => Promise<Made | null>;
  readonly #log: Pick<Log, 'debug'>;
  #timer: NodeJS.Timeout | undefined;
  #preparation: Preparation | undefined;

  constructor(make: (place: Place, signal: AbortSignal) => Promise<Made | null>, log: Pick<Log, 'debug'>) {
    this.#make = make;
    this.#log = log;
  }

  /** A suggestion went on display; `place` is where the caret will be when it is accepted. */
  prepare(place: Place): void {
    this.stop();
    this.#timer = setTimeout(() => {
      const abort = new AbortController();
      this.#preparation = { place, abort, made: this.#prepared(place, abort.signal) };
    }, READING_MS);
  }

  /**
   * What was prepared for a place, once; waits for it when it is under way. Undefined: nothing was. A preparation for
   * another place is given up.
   */
  async takeAt(place: Place, token: CancellationToken): Promise<Made | undefined> {
    const preparation = this.#preparation;
    if (!preparation || !isFor(preparation.place, place)) {
      this.stop();
      return undefined;
    }
    const made = await firstOf(preparation.made, token);
    // Asked again meanwhile, or given up: it belongs to whoever asked last.
    if (made === undefined || this.#preparation !== preparation) return undefined;
    this.#preparation = undefined;
    return made ?? undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#preparation?.abort.abort();
    this.#preparation = undefined;
  }

  async #prepared(place: Place, signal: AbortSignal): Promise<Made | null> {
    try {
      const made = await this.#make(place, signal);
      return made === null || made.text === '' ? null : made;
    } catch (error) {
      if (!signal.aborted) this.#log.debug(`Look-ahead: ${(error as Error).message}`);
      return null;
    }
  }
}

function isFor(prepared: Place, asked: Place): boolean {
  return (
    prepared.document === asked.document &&
    prepared.recorded === asked.recorded &&
    samePlace(prepared.around, asked.around)
  );
}

/** The answer, or undefined as soon as nobody waits for it. */
function firstOf<T>(answer: Promise<T>, token: CancellationToken): Promise<T | undefined> {
  if (token.isCancellationRequested) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const subscription = token.onCancellationRequested(() => finish(undefined));
    function finish(value: T | undefined): void {
      subscription.dispose();
      resolve(value);
    }
    void answer.then(finish);
  });
}
