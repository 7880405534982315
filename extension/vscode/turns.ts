import type { CancellationToken } from 'vscode';

/** A request of the editor for one document, until it is answered. */
export interface Turn {
  readonly signal: AbortSignal;
  /** It was given up for good: not even its answer is of use. */
  readonly forgotten: boolean;
  /** Resolves after the time, or at once when the request is given up. */
  pause(ms: number): Promise<void>;
}

/** One request a document: the next one, or the editor's own cancellation, ends the one before. */
export class Turns {
  readonly #open = new Map<string, OneTurn>();

  /** Runs a request as the document's only one. */
  async take<T>(document: string, token: CancellationToken, act: (turn: Turn) => Promise<T>): Promise<T> {
    this.end(document);
    const turn = new OneTurn();
    this.#open.set(document, turn);
    if (token.isCancellationRequested) turn.end();
    const subscription = token.onCancellationRequested(() => turn.end());
    try {
      return await act(turn);
    } finally {
      subscription.dispose();
      if (this.#open.get(document) === turn) this.#open.delete(document);
    }
  }

  /** Ends what is asked for in a document. */
  end(document: string): void {
    this.#open.get(document)?.end();
  }

  /** Gives up all of them. */
  forget(): void {
    for (const turn of this.#open.values()) {
      turn.forgotten = true;
      turn.end();
    }
    this.#open.clear();
  }
}

class OneTurn implements Turn {
  readonly #abort = new AbortController();
  forgotten = false;

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  end(): void {
    this.#abort.abort();
  }

  pause(ms: number): Promise<void> {
    const { signal } = this;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }
}
