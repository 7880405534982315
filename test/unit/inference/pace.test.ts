import assert from 'node:assert/strict';
import type { Backend } from '../../../trainer/inference/llama.ts';
import { Pace } from '../../../trainer/inference/pace.ts';

const MEGABYTE = 1e6;
const THREADS = 4;

/** A processor of which other programs leave so many cores. */
const processor = (free: number): Backend =>
  ({ device: 'cpu', threads: THREADS, freeCores: { count: free }, llama: {} }) as unknown as Backend;

describe('the pace', () => {
  it('is that of the cores that others leave free', () => {
    const backend = processor(1);
    const pace = new Pace(backend, 500 * MEGABYTE, false);
    assert.deepEqual([pace.beforePrompt(), backend.llama.maxThreads], [16, 1]);
    pace.beforeToken();
    assert.equal(backend.llama.maxThreads, 1);
  });

  it('is always the same where the same numbers are wanted', () => {
    const lengths = [1, 2, THREADS].map((free) => {
      const backend = processor(free);
      const pace = new Pace(backend, 500 * MEGABYTE, true);
      const length = pace.beforePrompt();
      const threads = backend.llama.maxThreads;
      pace.beforeToken();
      return [length, threads, backend.llama.maxThreads];
    });
    assert.deepEqual(lengths, [
      [32, THREADS, THREADS],
      [32, THREADS, THREADS],
      [32, THREADS, THREADS],
    ]);
  });
});
