/** Ends a companion that nobody asks anything any more: the windows that shared it have all been closed. */
import type { FastifyInstance } from 'fastify';

const LOOKS_PER_TIME = 10;
const MILLISECONDS_PER_SECOND = 1000;

/** Knows when the last request came, over all services that it watches. */
export class IdleWatch {
  #lastRequestAt = Date.now();

  /** Every request to the service counts, `GET /health` included. Before the service listens. */
  watch(app: FastifyInstance): void {
    app.addHook('onRequest', async () => {
      this.#lastRequestAt = Date.now();
    });
    app.addHook('onResponse', async () => {
      this.#lastRequestAt = Date.now();
    });
  }

  /** Resolves when no request came for this long, counted from now on at the earliest. */
  idleFor(seconds: number): Promise<void> {
    const limitMs = seconds * MILLISECONDS_PER_SECOND;
    this.#lastRequestAt = Date.now();
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        if (Date.now() - this.#lastRequestAt < limitMs) return;
        clearInterval(timer);
        resolve();
      }, limitMs / LOOKS_PER_TIME);
      timer.unref();
    });
  }
}
