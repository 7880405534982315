import assert from 'node:assert/strict';
import { openTinyEngine, request, type TinyEngine } from '../fixtures/tinyEngine.ts';

const PROMPT = 'const a = the return();\n'.repeat(30);

describe('cancelling and queueing', () => {
  let tiny: TinyEngine;
  before(async () => {
    tiny = await openTinyEngine();
  });
  after(() => tiny.close());

  it('ends the generation with the token under way', async () => {
    const controller = new AbortController();
    let tokens = 0;
    const result = await tiny.engine.generate(
      request(tiny.engine, PROMPT, {
        maxTokens: 100,
        temperature: 1,
        signal: controller.signal,
        onToken: () => {
          if (++tokens === 3) controller.abort();
        },
      }),
    );
    assert.equal(result.finishReason, 'cancelled');
    assert.equal(result.tokens.length, 3);
  });

  it('ends the prefill with the chunk under way', async () => {
    const controller = new AbortController();
    const prompt = tiny.engine.tokenize(PROMPT);
    assert.ok(prompt.length > 200);
    await tiny.engine.generate(request(tiny.engine, 'x', { maxTokens: 1 }));
    const running = tiny.engine.generate(request(tiny.engine, '', { prompt, signal: controller.signal }));
    setImmediate(() => controller.abort());
    const result = await running;
    assert.equal(result.finishReason, 'cancelled');
    assert.equal(result.tokens.length, 0);
    // What was evaluated until then is a prefix that the next request can use.
    const next = await tiny.engine.generate(request(tiny.engine, '', { prompt }));
    assert.ok(next.cachedTokens < prompt.length / 2, `${next.cachedTokens} of ${prompt.length}`);
    assert.equal(next.cachedTokens % 32, 0);
  });

  it('does not begin what was cancelled while it waited', async () => {
    const controller = new AbortController();
    const first = tiny.engine.generate(request(tiny.engine, PROMPT));
    const second = tiny.engine.generate(request(tiny.engine, PROMPT, { signal: controller.signal }));
    controller.abort();
    assert.notEqual((await first).finishReason, 'cancelled');
    assert.deepEqual((await second).tokens, []);
  });

  it('leaves the cache to the next request when it is cancelled while it waits', async () => {
    const controller = new AbortController();
    const first = tiny.engine.generate(request(tiny.engine, PROMPT));
    const other = request(tiny.engine, `zzz ${PROMPT}`, { signal: controller.signal });
    const cancelled = tiny.engine.generate(other);
    controller.abort();
    await Promise.all([first, cancelled]);
    const again = request(tiny.engine, PROMPT);
    assert.equal((await tiny.engine.generate(again)).cachedTokens, again.prompt.length - 1);
  });

  it('takes the latest keystroke first and look-ahead last', async () => {
    const order: string[] = [];
    const ask = async (name: string, priority: 'keystroke' | 'lookahead') => {
      await tiny.engine.generate(request(tiny.engine, PROMPT, { maxTokens: 2, priority }));
      order.push(name);
    };
    await Promise.all([
      ask('running', 'keystroke'),
      ask('ahead', 'lookahead'),
      ask('older', 'keystroke'),
      ask('newer', 'keystroke'),
    ]);
    assert.deepEqual(order, ['running', 'newer', 'older', 'ahead']);
  });

  it('tells when the first request starts and the last one ends', async () => {
    const told: boolean[] = [];
    const stop = tiny.engine.onBusy((busy) => told.push(busy));
    await Promise.all([1, 2, 3].map(() => tiny.engine.generate(request(tiny.engine, PROMPT))));
    await tiny.engine.generate(request(tiny.engine, PROMPT));
    stop();
    await tiny.engine.generate(request(tiny.engine, PROMPT));
    assert.deepEqual(told, [true, false, true, false]);
  });
});
