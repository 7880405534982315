import assert from 'node:assert/strict';
import { openTinyEngine, request, type TinyEngine } from '../fixtures/tinyEngine.ts';

const PROMPT = 'const a = the return();\n    const b = in on er;\n'.repeat(4);

describe('inference engine', () => {
  let tiny: TinyEngine;
  before(async () => {
    tiny = await openTinyEngine();
  });
  after(() => tiny.close());

  it('loads a model and describes it', () => {
    const { model } = tiny.engine;
    assert.equal(model.architecture, 'llama');
    assert.match(model.hash, /^[0-9a-f]{64}$/);
    assert.equal(model.fim?.order, 'spm');
    assert.equal(model.contextTokens, 511);
    assert.ok(model.endTokens.includes(model.endOfText));
    assert.ok(model.endTokens.includes(tiny.engine.tokenize('\n')[0]!));
  });

  it('hands every token out before the next, and the whole is the sum', async () => {
    const seen: number[] = [];
    let text = '';
    const result = await tiny.engine.generate(
      request(tiny.engine, PROMPT, {
        onToken: (token) => {
          seen.push(token.id);
          text += token.text;
        },
      }),
    );
    assert.ok(result.tokens.length > 1);
    assert.deepEqual(
      result.tokens.map((token) => token.id),
      seen,
    );
    assert.equal(text, result.text);
  });

  it('gives the same text from a warm cache as from a cold one', async () => {
    const cold = await tiny.engine.generate(request(tiny.engine, PROMPT));
    await tiny.engine.generate(request(tiny.engine, 'x'));
    const fresh = await tiny.engine.generate(request(tiny.engine, PROMPT));
    const warm = await tiny.engine.generate(request(tiny.engine, PROMPT));
    assert.equal(fresh.cachedTokens, 0);
    assert.equal(warm.cachedTokens, tiny.engine.tokenize(PROMPT).length - 1);
    assert.equal(warm.text, cold.text);
    assert.equal(fresh.text, cold.text);
  });

  it('reads the whole prompt anew when it is told to', async () => {
    await tiny.engine.generate(request(tiny.engine, PROMPT));
    const anew = await tiny.engine.generate(request(tiny.engine, PROMPT, { fresh: true }));
    assert.equal(anew.cachedTokens, 0);
  });

  it('repeats a sampled text by its seed', async () => {
    const sampled = { temperature: 1, seed: 5 };
    const first = await tiny.engine.generate(request(tiny.engine, PROMPT, sampled));
    const second = await tiny.engine.generate(request(tiny.engine, PROMPT, sampled));
    const other = await tiny.engine.generate(request(tiny.engine, PROMPT, { ...sampled, seed: 6 }));
    assert.equal(first.text, second.text);
    assert.notEqual(first.text, other.text);
  });
});
