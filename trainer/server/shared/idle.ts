/** Ends a companion that nobody asks anything any more: the windows that shared it have all been closed. */
import type { FastifyInstance } from 'fastify';

const LOOKS_PER_TIME = 10;
const MILLISECONDS_PER_SECOND = 1000;

/** Knows when the last request came, over all services that it watches. */
export class IdleWatch {
  // Not the time of day: a clock that is set, or a computer that wakes up, is no time without a request.
  #lastRequestAt = performance.now();

  /** Every request to the service counts, `GET /health` included. Before the service listens. */
  watch(app: FastifyInstance): void {
    app.addHook('onRequest', async () => {
      this.#lastRequestAt = performance.now();
    });
    app.addHook('onResponse', async () => {
      this.#lastRequestAt = performance.now();
    });
  }

  /** Resolves when no request came for this long, counted from now on at the earliest. */
  idleFor(seconds: number): Promise<void> {
    const limitMs = seconds * MILLISECONDS_PER_SECOND;
    this.#lastRequestAt = performance.now();
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        if (performance.now() - this.#lastRequestAt < limitMs) return;
        clearInterval(timer);
        resolve();
      }, limitMs / LOOKS_PER_TIME);
      timer.unref();
    });
  }
}
