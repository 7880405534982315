import assert from 'node:assert/strict';
import OpenAI, { AuthenticationError, BadRequestError } from 'openai';
import { openTinyService, TOKEN, type TinyService } from '../fixtures/tinyService.ts';
import { until } from '../fixtures/until.ts';

const MODEL = 'any-name';
const PROMPT = 'const a = the return();\n    const b = ';
const GREEDY = { model: MODEL, prompt: PROMPT, max_tokens: 12, temperature: 0 };

describe('the OpenAI SDK for JavaScript', () => {
  let tiny: TinyService;
  let client: OpenAI;

  before(async () => {
    tiny = await openTinyService();
    client = sdk(TOKEN);
  });
  after(() => tiny.close());
  beforeEach(() => void tiny.records.splice(0));

  const sdk = (apiKey: string, defaultHeaders = {}) =>
    new OpenAI({ baseURL: `${tiny.url}/v1`, apiKey, defaultHeaders, maxRetries: 0 });

  it('completes', async () => {
    const answer = await client.completions.create({ ...GREEDY, suffix: ';\n' });
    assert.equal(answer.object, 'text_completion');
    assert.equal(answer.model, 'tiny');
    assert.equal(answer.id, tiny.records[0]!.id);
    assert.equal(answer.choices[0]!.text, tiny.records[0]!.rawText);
    assert.equal(answer.usage!.completion_tokens, tiny.records[0]!.generatedTokens.length);
  });

  it('streams token by token the same text, and says how much it was', async () => {
    const whole = await client.completions.create(GREEDY);
    const stream = await client.completions.create({
      ...GREEDY,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.Completion[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    assert.ok(chunks.length > 2, `${chunks.length} chunks`);
    assert.equal(chunks.map((chunk) => chunk.choices[0]!.text).join(''), whole.choices[0]!.text);
    assert.equal(chunks.at(-1)!.choices[0]!.finish_reason, whole.choices[0]!.finish_reason);
    assert.deepEqual(chunks.at(-1)!.usage, whole.usage);
  });

  it('stops where it is told', async () => {
    const whole = await client.completions.create(GREEDY);
    const { text } = whole.choices[0]!;
    const stop = text.slice(2, 4);
    assert.equal(stop.length, 2);
    const stopped = await client.completions.create({ ...GREEDY, stop: [stop] });
    assert.equal(stopped.choices[0]!.text, text.slice(0, text.indexOf(stop)));
    assert.equal(stopped.choices[0]!.finish_reason, 'stop');
  });

  it('gets log-probabilities', async () => {
    const { choices } = await client.completions.create({ ...GREEDY, logprobs: 1 });
    const { tokens, token_logprobs, text_offset } = choices[0]!.logprobs!;
    assert.equal(tokens!.join(''), choices[0]!.text);
    assert.equal(token_logprobs!.length, tokens!.length);
    assert.ok(token_logprobs!.every((value) => value <= 0));
    assert.equal(text_offset![0], 0);
  });

  it('names its project in a header', async () => {
    await sdk(TOKEN, { 'X-Project-ID': 'shop' }).completions.create(GREEDY);
    assert.equal(tiny.records[0]!.workspaceKey, 'shop');
  });

  it('lists the model', async () => {
    const names: string[] = [];
    for await (const model of client.models.list()) names.push(model.id);
    assert.deepEqual(names, ['tiny']);
  });

  it('is told a wrong token, as its own error', async () => {
    const refused = sdk('wrong').completions.create(GREEDY);
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof AuthenticationError);
      assert.equal(error.code, 'unauthorized');
      assert.match(error.message, /hone serve/);
      return true;
    });
  });

  const wrong: [field: string, change: object][] = [
    ['max_tokens', { max_tokens: -1 }],
    ['temperature', { temperature: 'warm' }],
    ['n', { n: 2 }],
    ['best_of', { best_of: 3 }],
    ['echo', { echo: true }],
    ['prompt', { prompt: ['one', 'two'] }],
  ];
  for (const [field, change] of wrong)
    it(`is told a wrong field, as its own error: ${field}`, async () => {
      const refused = client.completions.create({ ...GREEDY, ...change });
      await assert.rejects(refused, (error) => {
        assert.ok(error instanceof BadRequestError);
        assert.equal(error.param, field);
        assert.equal(error.code, 'invalid_request');
        return true;
      });
    });

  it('ends the generation when it aborts a stream', async () => {
    const before = tiny.cancelled();
    const stream = await client.completions.create({
      ...GREEDY,
      ...{ temperature: 2, max_tokens: 200, seed: 12, stream: true },
    });
    for await (const chunk of stream) {
      assert.equal(chunk.choices.length, 1);
      stream.controller.abort();
    }
    await until(() => tiny.cancelled() > before, 'the end of the generation');
    assert.ok(tiny.records[0]!.generatedTokens.length < 200);
  });
});
