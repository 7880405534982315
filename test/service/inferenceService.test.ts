import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { infillResponseSchema, type CompletionResponse } from '../../extension/common/contracts/index.ts';
import { openTinyService, readEvents, type TinyService } from '../fixtures/tinyService.ts';

const CODE = { prompt: 'const a = the return();\n    const b = ', suffix: ';\n', path: 'src/a.ts' };
const GREEDY = { temperature: 0, max_tokens: 16 };
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('POST /v1/completions', () => {
  let tiny: TinyService;
  before(async () => {
    tiny = await openTinyService();
  });
  after(() => tiny.close());
  beforeEach(() => void tiny.records.splice(0));

  it('answers in OpenAI shape, with the completion id and what Hone adds', async () => {
    const answer = await tiny.complete({ ...CODE, ...GREEDY, model: 'whatever-the-client-says' });
    assert.match(answer.id, UUID_V7);
    assert.equal(answer.model, 'tiny');
    assert.equal(answer.adapter_version, 0);
    assert.equal(answer.suffix_used, true);
    assert.equal(answer.choices[0]!.logprobs, null);
    assert.equal(answer.usage.total_tokens, answer.usage.prompt_tokens + answer.usage.completion_tokens);
    assert.ok(answer.timings.total >= answer.timings.first_token);
  });

  it('streams token by token what it answers whole', async () => {
    const whole = await tiny.complete({ ...CODE, ...GREEDY });
    const response = await tiny.post('/v1/completions', { ...CODE, ...GREEDY, stream: true });
    assert.match(response.headers.get('content-type')!, /^text\/event-stream/);
    const events = await readEvents(response);
    assert.equal(events.pop(), '[DONE]');
    const chunks = events.map((event) => JSON.parse(event) as CompletionResponse);
    const last = chunks.at(-1)!;
    assert.ok(chunks.length > 3);
    assert.equal(chunks.map((chunk) => chunk.choices[0]!.text).join(''), whole.choices[0]!.text);
    assert.equal(last.choices[0]!.finish_reason, whole.choices[0]!.finish_reason);
    assert.deepEqual(last.usage, whole.usage);
    assert.ok(chunks.every((chunk) => chunk.id === last.id));
  });

  it('sends a streamed token before the next one is computed', async () => {
    const response = await tiny.post('/v1/completions', {
      ...CODE,
      temperature: 1,
      max_tokens: 100,
      seed: 4,
      stream: true,
    });
    let pieces = 0;
    for await (const _ of response.body!) pieces++;
    assert.ok(pieces > 5, `${pieces} pieces`);
  });

  it('gives log-probabilities with ids and offsets when they are asked for', async () => {
    const { choices } = await tiny.complete({ ...CODE, ...GREEDY, logprobs: 1 });
    const { logprobs, text } = choices[0]!;
    assert.equal(logprobs!.tokens.join(''), text);
    assert.equal(logprobs!.token_logprobs.length, logprobs!.tokens.length);
    assert.ok(logprobs!.token_logprobs.every((value) => value <= 0));
    assert.equal(logprobs!.text_offset[0], 0);
  });

  it('returns the text before a stop string, streamed or not', async () => {
    const { choices } = await tiny.complete({ ...CODE, ...GREEDY });
    const text = choices[0]!.text;
    const stop = text.slice(3, 5);
    const expected = text.slice(0, text.indexOf(stop));
    const stopped = await tiny.complete({ ...CODE, ...GREEDY, stop });
    assert.equal(stopped.choices[0]!.text, expected);
    assert.equal(stopped.choices[0]!.finish_reason, 'stop');
    const events = await readEvents(
      await tiny.post('/v1/completions', { ...CODE, ...GREEDY, stop: [stop], stream: true }),
    );
    const streamed = events
      .slice(0, -1)
      .map((event) => (JSON.parse(event) as CompletionResponse).choices[0]!.text);
    assert.equal(streamed.join(''), expected);
  });

  it('does without `stop`, and with an empty one', async () => {
    const none = await tiny.complete({ ...CODE, ...GREEDY });
    const empty = await tiny.complete({ ...CODE, ...GREEDY, stop: '' });
    const absent = await tiny.complete({ ...CODE, ...GREEDY, stop: null });
    assert.equal(empty.choices[0]!.text, none.choices[0]!.text);
    assert.equal(absent.choices[0]!.text, none.choices[0]!.text);
  });

  it('never shows a special token', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const answer = await tiny.complete({ ...CODE, temperature: 3, max_tokens: 40, seed });
      assert.doesNotMatch(answer.choices[0]!.text, /<\|/);
    }
  });

  it('writes the record before it answers', async () => {
    const answer = await tiny.complete(
      {
        ...CODE,
        max_tokens: 8,
        seed: 3,
        language: 'typescript',
        document_version: 7,
        offset: 38,
        session: 's',
      },
      { 'x-project-id': 'project' },
    );
    const [record] = tiny.records;
    assert.equal(record!.id, answer.id);
    assert.equal(record!.workspaceKey, 'project');
    assert.equal(record!.relativePath, 'src/a.ts');
    assert.equal(record!.rawText, answer.choices[0]!.text);
    assert.equal(record!.promptTokens.length, answer.usage.prompt_tokens);
    assert.equal(record!.generatedTokens.length, answer.usage.completion_tokens);
    assert.equal(record!.modelHash, tiny.engine.model.hash);
    assert.deepEqual(record!.sampling, { temperature: 0.3, topP: 1, topK: 0, repetitionPenalty: 1, seed: 3 });
    assert.equal(
      record!.promptText,
      `<|file_sep|>src/a.ts\n<|fim_prefix|><|fim_suffix|>;\n<|fim_middle|>${CODE.prompt}`,
    );
    assert.equal(record!.requestPrompt, CODE.prompt);
  });

  it('says what answered, and how sure it was, and records both', async () => {
    await tiny.engine.useAdapter({ version: 1, path: tiny.adapter('a.gguf', {}), scale: 0.5 });
    const answer = await tiny.complete({ ...CODE, max_tokens: 4, seed: 3 });
    await tiny.engine.useAdapter({ version: 0, path: null, scale: 1 });
    assert.deepEqual(
      [answer.adapter_version, answer.adapter_scale, answer.model_hash],
      [1, 0.5, tiny.engine.model.hash],
    );
    assert.match(answer.fim_template!, /, spm$/);
    const [record] = tiny.records;
    assert.equal(record!.adapterScale, 0.5);
    const { confidence } = answer;
    assert.deepEqual(confidence!.token_logprobs, record!.modelLogprobs);
    assert.equal(confidence!.token_ends.length, answer.usage.completion_tokens);
    assert.equal(confidence!.first_probability, Math.exp(record!.modelLogprobs[0]!));
    assert.ok(confidence!.min_logprob <= confidence!.mean_logprob && confidence!.mean_logprob < 0);
    assert.notDeepEqual(record!.modelLogprobs, record!.generatedLogprobs, 'drawn at another temperature');
  });

  it('shows no path where a document has none', async () => {
    await tiny.complete({ prompt: 'a', suffix: 'b', path: '', ...GREEDY });
    assert.equal(tiny.records[0]!.promptText, '<|fim_prefix|><|fim_suffix|>b<|fim_middle|>a');
  });

  it('shows pieces of other files before the document', async () => {
    const files = [{ path: 'src/b.ts', text: 'export const b = "<|fim_middle|>";\n' }];
    await tiny.complete({ ...CODE, ...GREEDY, files });
    assert.equal(
      tiny.records[0]!.promptText,
      `<|file_sep|>src/b.ts\n${files[0]!.text}<|file_sep|>src/a.ts\n<|fim_prefix|><|fim_suffix|>;\n<|fim_middle|>${CODE.prompt}`,
    );
    const marker = tiny.engine.tokenizeParts([{ marker: '<|fim_middle|>' }]).at(-1)!;
    assert.equal(tiny.records[0]!.promptTokens.filter((id) => id === marker).length, 1);
  });

  it('prefers the workspace key of the body', async () => {
    await tiny.complete({ ...CODE, ...GREEDY, workspace: 'body' }, { 'x-project-id': 'header' });
    await tiny.complete({ ...CODE, ...GREEDY });
    assert.deepEqual(
      tiny.records.map((record) => record.workspaceKey),
      ['body', 'default'],
    );
  });

  it('records nothing when the request forbids it', async () => {
    await tiny.complete({ ...CODE, ...GREEDY, record: false });
    assert.deepEqual(tiny.records, []);
  });

  it('reuses what the last prompt has in common', async () => {
    await tiny.complete({ ...CODE, ...GREEDY });
    const more = await tiny.complete({ ...CODE, ...GREEDY, prompt: `${CODE.prompt}in` });
    assert.ok(more.timings.cached_tokens > more.usage.prompt_tokens / 2);
  });

  it('stops when the client goes away, and counts it without a row', async () => {
    const before = tiny.cancelled();
    const body = { ...CODE, temperature: 3, max_tokens: 200, seed: 12 };
    for (let delayMs = 1; delayMs <= 50 && tiny.cancelled() === before; delayMs++) {
      const signal = AbortSignal.timeout(delayMs);
      await tiny.post('/v1/completions', body, { signal }).catch(() => undefined);
      await wait(10);
    }
    assert.equal(tiny.cancelled(), before + 1);
    assert.ok(tiny.records.every((record) => record.finishReason !== 'cancelled'));
  });

  it('keeps what a client got of a stream before it hung up: it may have shown that', async () => {
    const before = tiny.cancelled();
    const controller = new AbortController();
    const body = { ...CODE, temperature: 3, max_tokens: 200, seed: 12, stream: true };
    const response = await tiny.post('/v1/completions', body, { signal: controller.signal });
    const reader = response.body!.getReader();
    const { value } = (await reader.read()) as { value: Uint8Array };
    const seen = JSON.parse(
      Buffer.from(value)
        .toString()
        .split('\n')[0]!
        .replace(/^data: /, ''),
    ) as CompletionResponse;
    controller.abort();
    await reader.read().catch(() => undefined);
    for (let tries = 0; tries < 50 && tiny.records.length === 0; tries++) await wait(10);
    assert.equal(tiny.cancelled(), before + 1);
    const [record] = tiny.records;
    assert.equal(record!.id, seen.id);
    assert.equal(record!.finishReason, 'cancelled');
    assert.ok(record!.rawText.startsWith(seen.choices[0]!.text));
    assert.ok(record!.generatedTokens.length < 200);
  });
});

describe('markers in text', () => {
  let tiny: TinyService;
  before(async () => {
    tiny = await openTinyService();
  });
  after(() => tiny.close());
  beforeEach(() => void tiny.records.splice(0));

  const markers = (tokens: number[]) => tokens.filter((token) => token >= 1 && token <= 6);

  it('of a document stay text when a suffix is given', async () => {
    const prompt = 'const marker = "<|fim_middle|>";\n';
    await tiny.complete({ ...GREEDY, prompt, suffix: '<|endoftext|><|fim_prefix|>\n' });
    assert.deepEqual(markers(tiny.records[0]!.promptTokens), [1, 2, 3]);
    assert.ok(!tiny.records[0]!.promptTokens.includes(0));
  });

  it('of a document stay text in /infill', async () => {
    await tiny.post('/infill', {
      input_prefix: 'a <|fim_suffix|>',
      input_suffix: '<|file_sep|>',
      n_predict: 4,
    });
    assert.deepEqual(markers(tiny.records[0]!.promptTokens), [1, 2, 3]);
  });

  it('are special tokens where the prompt stands alone', async () => {
    await tiny.complete({ ...GREEDY, prompt: '<|file_sep|>a.ts\nconst a' });
    assert.deepEqual(markers(tiny.records[0]!.promptTokens), [6]);
  });

  it('of a complete prompt are put into the order of the model, and that is said', async () => {
    const prompt = '<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>';
    const answer = await tiny.complete({ ...GREEDY, prompt });
    const same = await tiny.complete({ ...GREEDY, prompt: 'let a = ', suffix: ';\n' });
    assert.equal(answer.rerendered, true);
    assert.equal(same.rerendered, undefined);
    assert.equal(answer.choices[0]!.text, same.choices[0]!.text);
    assert.equal(tiny.records[0]!.promptText, '<|fim_prefix|><|fim_suffix|>;\n<|fim_middle|>let a = ');
    assert.equal(tiny.records[0]!.requestPrompt, prompt);
  });

  it('of another family are understood too', async () => {
    const answer = await tiny.complete({ ...GREEDY, prompt: '<PRE> let a =  <SUF>;\n <MID>' });
    assert.equal(answer.rerendered, true);
    assert.deepEqual(markers(tiny.records[0]!.promptTokens), [1, 2, 3]);
  });

  it('in the order of the model already are passed on', async () => {
    const answer = await tiny.complete({
      ...GREEDY,
      prompt: '<|fim_prefix|><|fim_suffix|>;\n<|fim_middle|>let a = ',
    });
    assert.equal(answer.rerendered, undefined);
  });
});

describe('a vocabulary whose markers are user-defined tokens', () => {
  it('still keeps their spellings in a document as text', async () => {
    const tiny = await openTinyService({ markerType: 'userDefined' });
    try {
      await tiny.complete({ ...GREEDY, prompt: 'a <|fim_middle|> b', suffix: '' });
      assert.deepEqual(
        tiny.records[0]!.promptTokens.filter((token) => token >= 1 && token <= 6),
        [1, 2, 3],
      );
      assert.equal(tiny.engine.detokenize(tiny.records[0]!.promptTokens), 'a <|fim_middle|> b');
    } finally {
      await tiny.close();
    }
  });
});

describe('a model without markers', () => {
  let tiny: TinyService;
  before(async () => {
    tiny = await openTinyService({ fim: false, fimOrder: null });
  });
  after(() => tiny.close());

  it('is served with the prefix only, and says so', async () => {
    const answer = await tiny.complete({ ...CODE, ...GREEDY });
    assert.equal(answer.suffix_used, false);
    assert.equal(tiny.records[0]!.promptText, CODE.prompt);
    const health = (await (await tiny.get('/health')).json()) as { fim: boolean };
    assert.equal(health.fim, false);
  });

  it('is served a foreign FIM prompt without its suffix and markers', async () => {
    const answer = await tiny.complete({
      ...GREEDY,
      prompt: '<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>',
    });
    assert.equal(answer.suffix_used, false);
    assert.equal(answer.rerendered, true);
    assert.equal(tiny.records.at(-1)!.promptText, 'let a = ');
  });
});

describe('a model that wants a begin-of-text token', () => {
  it('gets it once, in front', async () => {
    const tiny = await openTinyService({ addBos: true });
    try {
      await tiny.complete({ ...GREEDY, prompt: 'const a' });
      await tiny.complete({ ...CODE, ...GREEDY });
      assert.equal(tiny.records.length, 2);
      for (const { promptTokens } of tiny.records) {
        assert.equal(promptTokens[0], 0);
        assert.equal(promptTokens.filter((token) => token === 0).length, 1);
      }
    } finally {
      await tiny.close();
    }
  });
});

describe('the other routes', () => {
  let tiny: TinyService;
  before(async () => {
    tiny = await openTinyService();
  });
  after(() => tiny.close());

  it('POST /infill answers in llama-server shape', async () => {
    const body = {
      input_prefix: 'const a = ',
      input_suffix: ';\n',
      input_extra: [{ filename: 'b.ts', text: 'const b = 1;\n' }],
      prompt: 'the ',
      n_predict: 6,
      temperature: 0,
    };
    const answer = infillResponseSchema.parse(await (await tiny.post('/infill', body)).json());
    assert.equal(answer.tokens_predicted <= 6, true);
    assert.equal(
      tiny.records.at(-1)!.promptText,
      '<|file_sep|>b.ts\nconst b = 1;\n<|fim_prefix|><|fim_suffix|>;\n<|fim_middle|>const a = the ',
    );
    const events = await readEvents(await tiny.post('/infill', { ...body, stream: true }));
    const chunks = events.map((event) => JSON.parse(event) as { content: string; stop: boolean });
    assert.equal(chunks.map((chunk) => chunk.content).join(''), answer.content);
    assert.equal(chunks.at(-1)!.stop, true);
  });

  it('GET /v1/models names the model', async () => {
    const { data } = (await (await tiny.get('/v1/models')).json()) as { data: { id: string }[] };
    assert.equal(data[0]!.id, 'tiny');
  });

  it('GET /metrics is Prometheus text', async () => {
    await tiny.complete({ ...CODE, ...GREEDY });
    const text = await (await tiny.get('/metrics')).text();
    assert.match(text, /^# TYPE hone_completions_total counter$/m);
    assert.match(text, /^hone_generated_tokens_total [1-9]\d*$/m);
  });

  it('GET and POST /lora-adapters show and set the scale', async () => {
    await tiny.engine.useAdapter({ version: 3, path: tiny.adapter('three.gguf'), scale: 1 });
    const list = async () => (await tiny.get('/lora-adapters')).json();
    assert.deepEqual(await list(), [{ id: 3, path: tiny.engine.adapter.path, scale: 1 }]);
    await tiny.post('/lora-adapters', [{ id: 3, scale: 0.5 }]);
    assert.equal(tiny.engine.adapter.scale, 0.5);
    const unknown = await tiny.post('/lora-adapters', [{ id: 8, scale: 1 }]);
    assert.equal(unknown.status, 404);
    await tiny.post('/lora-adapters', [{ id: 3, scale: 0 }]);
    assert.equal(tiny.engine.adapter.version, 0);
  });
});
