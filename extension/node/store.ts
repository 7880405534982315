import { Worker } from 'node:worker_threads';
import type { StoreDatabase } from './storeDatabase.ts';

const FIRST_RESTART_MS = 100;
/** Ends of the thread in a row, with no call answered in between, after which the store is down. */
const ENDS_UNTIL_DOWN = 5;
/** How long a store that is down refuses calls before one of them starts the thread again. */
const DOWN_MS = 60_000;
/** Threads that a call may end before it is refused: the others go on without it. */
const ENDS_OF_ONE_CALL_MAX = 2;

type Methods = {
  [Name in keyof StoreDatabase]: StoreDatabase[Name] extends (...args: infer Args) => infer Result
    ? { args: Args; result: Result }
    : never;
};

export interface StoreRequest {
  id: number;
  method: keyof Methods;
  args: unknown[];
}

export type StoreReply = { id: number; result: unknown } | { id: number; error: string };

/** The id of the thread's first word, which no call has: the database is open. */
export const OPENED_ID = 0;

/** `down`: calls are refused. `working` is told only after one of the others. */
export type StoreState = { kind: 'working' } | { kind: 'restarting' | 'down'; error: Error };

interface Call {
  request: StoreRequest;
  resolve: (value: never) => void;
  reject: (error: Error) => void;
  /** Threads that ended while they ran this call. */
  ends: number;
}

/**
 * The database's methods, run on its thread in the order of the calls. A thread that ends is started again, and the
 * calls that it hasn't answered are made again, in their order: each of them may run twice and does no harm then.
 */
export class Store {
  readonly #script: string;
  readonly #path: string;
  readonly #onState: (state: StoreState) => void;
  readonly #downMs: number;
  /** Calls without an answer, oldest first. */
  readonly #waiting = new Map<number, Call>();
  #calls = OPENED_ID;
  #worker: Worker | undefined;
  #restart: NodeJS.Timeout | undefined;
  #ends = 0;
  #state: StoreState['kind'] = 'working';
  /** `until` by the clock that nobody sets. */
  #down: { error: Error; until: number } | undefined;
  #closed = false;
  #onClosed: () => void = () => undefined;

  /**
   * @param worker the thread's script
   * @param path the database file
   */
  constructor(worker: string, path: string, onState: (state: StoreState) => void, downMs = DOWN_MS) {
    this.#script = worker;
    this.#path = path;
    this.#onState = onState;
    this.#downMs = downMs;
    this.#start();
  }

  /** Rejects with the database's error, or when the store is down or closed. */
  call<Name extends keyof Methods>(
    method: Name,
    ...args: Methods[Name]['args']
  ): Promise<Methods[Name]['result']> {
    if (this.#closed) return Promise.reject(new Error(`The store at ${this.#path} is closed.`));
    if (this.#down && performance.now() < this.#down.until) return Promise.reject(this.#down.error);
    if (this.#down) {
      this.#down = undefined;
      this.#start();
    }
    return this.#ask(method, args);
  }

  /** Finishes what was asked for and ends the thread. Rejects when the thread ends before that. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#down) return;
    clearTimeout(this.#restart);
    if (!this.#worker) this.#start();
    const ended = new Promise<void>((resolve) => (this.#onClosed = resolve));
    await this.#ask('close', []);
    await ended;
  }

  #ask<Result>(method: keyof Methods, args: unknown[]): Promise<Result> {
    const request: StoreRequest = { id: ++this.#calls, method, args };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { request, resolve, reject, ends: 0 });
      this.#worker?.postMessage(request);
    });
  }

  #start(): void {
    const worker = new Worker(this.#script, { workerData: { path: this.#path } });
    let opened = false;
    let cause: Error | undefined;
    worker.on('message', (reply: StoreReply) => {
      opened = true;
      if (reply.id !== OPENED_ID) this.#settle(reply);
    });
    worker.on('error', (error: Error) => (cause = error));
    worker.on('exit', (code) => {
      const why = cause?.message ?? `its thread ended with exit code ${code}`;
      this.#ended(new Error(`The store at ${this.#path} can't be used: ${why}`), opened);
    });
    for (const { request } of this.#waiting.values()) worker.postMessage(request);
    this.#worker = worker;
  }

  #settle(reply: StoreReply): void {
    this.#ends = 0;
    this.#tell({ kind: 'working' });
    const call = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) call?.reject(new Error(reply.error));
    else call?.resolve(reply.result as never);
  }

  #ended(error: Error, opened: boolean): void {
    this.#worker = undefined;
    if (this.#closed) {
      this.#refuseAll(error);
      this.#onClosed();
      return;
    }
    if (opened) this.#blame(error);
    if (++this.#ends >= ENDS_UNTIL_DOWN) {
      // The next try is one thread, not five.
      this.#ends = ENDS_UNTIL_DOWN - 1;
      this.#down = { error, until: performance.now() + this.#downMs };
      this.#refuseAll(error);
      this.#tell({ kind: 'down', error });
      return;
    }
    this.#restart = setTimeout(() => this.#start(), FIRST_RESTART_MS * 2 ** (this.#ends - 1));
    this.#tell({ kind: 'restarting', error });
  }

  /** The thread runs the oldest call; one that ended it twice is not made a third time. */
  #blame(error: Error): void {
    const [oldest] = this.#waiting.values();
    if (!oldest || ++oldest.ends < ENDS_OF_ONE_CALL_MAX) return;
    this.#waiting.delete(oldest.request.id);
    oldest.reject(error);
  }

  #refuseAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #tell(state: StoreState): void {
    if (state.kind === 'working' && this.#state === 'working') return;
    this.#state = state.kind;
    this.#onState(state);
  }
}
