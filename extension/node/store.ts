import { Worker } from 'node:worker_threads';
import type { StoreDatabase } from './storeDatabase.ts';

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

/** The database's methods, run on its thread in the order of the calls. */
export class Store {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  #calls = 0;
  #failure: Error | undefined;

  /**
   * @param worker the thread's script
   * @param path the database file
   */
  constructor(worker: string, path: string, onFailure: (error: Error) => void) {
    this.#worker = new Worker(worker, { workerData: { path } });
    this.#worker.on('message', (reply: StoreReply) => this.#settle(reply));
    this.#worker.on('error', (error: Error) => {
      const failure = new Error(`The store at ${path} can't be used: ${error.message}`);
      this.#fail(failure);
      onFailure(failure);
    });
    this.#worker.on('exit', () => this.#fail(new Error(`The store at ${path} is closed.`)));
  }

  call<Name extends keyof Methods>(
    method: Name,
    ...args: Methods[Name]['args']
  ): Promise<Methods[Name]['result']> {
    if (this.#failure) return Promise.reject(this.#failure);
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, method, args } satisfies StoreRequest);
    });
  }

  /** Finishes what was asked for and ends the thread. */
  async close(): Promise<void> {
    if (this.#failure) return;
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve));
    await this.call('close');
    await ended;
  }

  #settle(reply: StoreReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) waiting?.reject(new Error(reply.error));
    else waiting?.resolve(reply.result as never);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}
