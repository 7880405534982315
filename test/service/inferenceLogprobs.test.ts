import assert from 'node:assert/strict';
import { logSoftmax, naiveLogits } from '../fixtures/naiveForward.ts';
import { openTinyEngine, request, type TinyEngine } from '../fixtures/tinyEngine.ts';
import type { TinyAdapterOptions, TinyModelOptions } from '../fixtures/tinyModel.ts';
import type { GenerateResult } from '../../trainer/inference/types.ts';

const PROMPT = 'const the = return(in, on);\n';
/** llama.cpp keeps keys and values in 16 bits; the naive pass computes in 64. */
const TOLERANCE_NATS = 0.01;

/** Largest difference between what the engine said and what the naive pass computes, over all tokens. */
function largestDifference(
  prompt: number[],
  result: Pick<GenerateResult, 'tokens'>,
  temperature: number,
  model: Partial<TinyModelOptions>,
  adapter?: { options: Partial<TinyAdapterOptions>; scale: number },
): number {
  const differences = result.tokens.map((token, index) => {
    const before = [...prompt, ...result.tokens.slice(0, index).map(({ id }) => id)];
    return Math.abs(token.logprob! - logSoftmax(naiveLogits(before, model, adapter), temperature)[token.id]!);
  });
  return Math.max(...differences);
}

describe('log-probabilities of sampled tokens', () => {
  const models: [string, Partial<TinyModelOptions>][] = [
    ['llama', {}],
    ['qwen2', { architecture: 'qwen2', biases: true, tied: false, preTokenizer: 'qwen2' }],
  ];
  for (const [name, model] of models) {
    describe(name, () => {
      let tiny: TinyEngine;
      before(async () => {
        tiny = await openTinyEngine(model);
      });
      after(() => tiny.close());

      for (const temperature of [0, 0.3, 1, 1.7]) {
        it(`are log-softmax(logits / τ) at τ = ${temperature}`, async () => {
          const ask = request(tiny.engine, PROMPT, { temperature, maxTokens: 12 });
          const result = await tiny.engine.generate(ask);
          const difference = largestDifference(
            ask.prompt,
            result,
            temperature === 0 ? 1 : temperature,
            model,
          );
          assert.ok(difference < TOLERANCE_NATS, `largest difference ${difference} nats`);
        });
      }

      for (const temperature of [0, 0.3, 1, 1.7]) {
        it(`are told at temperature 1, too, of what is drawn at ${temperature}`, async () => {
          const ask = request(tiny.engine, PROMPT, { temperature, maxTokens: 12 });
          const { tokens } = await tiny.engine.generate(ask);
          const told = tokens.map((token) => ({ ...token, logprob: token.modelLogprob }));
          const difference = largestDifference(ask.prompt, { tokens: told }, 1, model);
          assert.ok(difference < TOLERANCE_NATS, `largest difference ${difference} nats`);
        });
      }

      it('stay exact after a prompt of several batches', async () => {
        const ask = request(tiny.engine, PROMPT.repeat(14), { temperature: 1, maxTokens: 4 });
        assert.ok(ask.prompt.length > 128);
        const difference = largestDifference(ask.prompt, await tiny.engine.generate(ask), 1, model);
        assert.ok(difference < TOLERANCE_NATS, `largest difference ${difference} nats`);
      });

      it('are those of the adapter in service, at its scale', async () => {
        const options = { bDeviation: 0.3 };
        await tiny.engine.useAdapter({ version: 1, path: tiny.adapter('a.gguf', options), scale: 0.5 });
        const ask = request(tiny.engine, PROMPT, { temperature: 1, maxTokens: 12 });
        const result = await tiny.engine.generate(ask);
        const adapted = largestDifference(ask.prompt, result, 1, model, { options, scale: 0.5 });
        const base = largestDifference(ask.prompt, result, 1, model);
        assert.ok(adapted < TOLERANCE_NATS, `largest difference ${adapted} nats`);
        assert.ok(base > 10 * TOLERANCE_NATS, 'the adapter changes nothing');
      });
    });
  }
});

describe('sampling', () => {
  let tiny: TinyEngine;
  before(async () => {
    tiny = await openTinyEngine();
  });
  after(() => tiny.close());

  it('draws tokens as often as their probability says', async () => {
    const draws = 400;
    const counts = new Map<number, number>();
    const ask = request(tiny.engine, PROMPT, { temperature: 0.7, maxTokens: 1 });
    const shares = logSoftmax(naiveLogits(ask.prompt), 0.7).map(Math.exp);
    for (let seed = 0; seed < draws; seed++) {
      const { tokens } = await tiny.engine.generate({ ...ask, seed });
      counts.set(tokens[0]!.id, (counts.get(tokens[0]!.id) ?? 0) + 1);
    }
    const likely = [...shares.keys()].sort((a, b) => shares[b]! - shares[a]!).slice(0, 5);
    for (const id of likely) {
      const deviation = Math.sqrt(draws * shares[id]! * (1 - shares[id]!));
      const difference = (counts.get(id) ?? 0) - draws * shares[id]!;
      assert.ok(Math.abs(difference) < 4 * deviation, `token ${id}: ${difference} of ${draws} off`);
    }
  });

  it('takes only the likeliest tokens with top_k, and says their share among those', async () => {
    const ask = request(tiny.engine, PROMPT, { temperature: 1, topK: 1, maxTokens: 5, seed: 9 });
    const result = await tiny.engine.generate(ask);
    const greedy = await tiny.engine.generate({ ...ask, temperature: 0, topK: 0 });
    assert.deepEqual(
      result.tokens.map(({ id }) => id),
      greedy.tokens.map(({ id }) => id),
    );
    assert.ok(result.tokens.every(({ logprob }) => logprob === 0));
  });

  it('weakens what already stands there by the repetition penalty', async () => {
    const ask = request(tiny.engine, 'const a = the return();\n    xAA', {
      maxTokens: 1,
      repetitionPenalty: 1.5,
    });
    const seen = new Set(ask.prompt);
    const penalised = naiveLogits(ask.prompt).map((logit, id) => {
      if (!seen.has(id)) return logit;
      return logit > 0 ? logit / 1.5 : logit * 1.5;
    });
    const { tokens } = await tiny.engine.generate(ask);
    const expected = logSoftmax(penalised, 1);
    assert.equal(tokens[0]!.id, expected.indexOf(Math.max(...expected)));
    assert.ok(Math.abs(tokens[0]!.logprob! - Math.max(...expected)) < TOLERANCE_NATS);
    assert.notDeepEqual(expected, logSoftmax(naiveLogits(ask.prompt), 1));
  });
});
