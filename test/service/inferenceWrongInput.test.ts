import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { request as httpRequest } from 'node:http';
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  completionRequestSchema,
  infillRequestSchema,
  type ErrorResponse,
  type InfillResponse,
} from '../../extension/common/contracts/index.ts';
import { loadEngine } from '../../trainer/inference/engine.ts';
import { createInferenceService } from '../../trainer/server/inference/service.ts';
import { listen } from '../../trainer/server/shared/service.ts';
import type { LoadedOn } from '../fixtures/loadOn.ts';
import { quiet, openTinyEngine, temporaryFolder, type TinyEngine } from '../fixtures/tinyEngine.ts';
import { openTinyService, TOKEN, type TinyService } from '../fixtures/tinyService.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

const MEGABYTE = 1024 * 1024;
const LOAD_ON = join(import.meta.dirname, '../fixtures/loadOn.ts');

describe('requests that are wrong', () => {
  let tiny: TinyService;
  before(async () => {
    tiny = await openTinyService();
  });
  after(() => tiny.close());

  const bodies: [what: string, body: object, param: string][] = [
    ['prompt is missing', {}, 'prompt'],
    ['prompt is a number', { prompt: 3 }, 'prompt'],
    ['prompt is empty', { prompt: '' }, 'prompt'],
    ['max_tokens is text', { prompt: 'a', max_tokens: 'many' }, 'max_tokens'],
    ['max_tokens is negative', { prompt: 'a', max_tokens: -1 }, 'max_tokens'],
    ['temperature is negative', { prompt: 'a', temperature: -1 }, 'temperature'],
    ['top_p is above 1', { prompt: 'a', top_p: 1.5 }, 'top_p'],
    ['top_k is a fraction', { prompt: 'a', top_k: 1.5 }, 'top_k'],
    ['stop is a number', { prompt: 'a', stop: 7 }, 'stop'],
    ['prompt is null', { prompt: null }, 'prompt'],
    ['suffix is a number', { prompt: 'a', suffix: 1 }, 'suffix'],
    ['stream is text', { prompt: 'a', stream: 'yes' }, 'stream'],
    ['record is text', { prompt: 'a', record: 'no' }, 'record'],
  ];
  for (const [what, body, param] of bodies) {
    it(`are answered 400 with the field's name when ${what}`, async () => {
      const response = await tiny.post('/v1/completions', body);
      const { error } = (await response.json()) as ErrorResponse;
      assert.equal(response.status, 400);
      assert.equal(error.code, 'invalid_request');
      assert.equal(error.param, param);
      assert.match(error.message, new RegExp(`"${param}"`));
    });
  }

  it('keep working where null stands for a field that was not set, as if it was left out', async () => {
    const optional = Object.keys(completionRequestSchema.shape).filter((name) => name !== 'prompt');
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    assert.ok(['suffix', 'temperature', 'stop', 'max_tokens', 'logprobs'].every((name) => name in nulls));
    const one = { prompt: 'const a', max_tokens: 4, temperature: 0 };
    const { choices, suffix_used } = await tiny.complete({ ...nulls, ...one });
    assert.deepEqual(choices, (await tiny.complete(one)).choices);
    assert.equal(choices[0]!.logprobs, null);
    assert.equal(suffix_used, undefined, 'no suffix is not an empty one');
    const [withNulls, without] = tiny.records.slice(-2);
    const volatile = {
      id: '',
      createdAt: 0,
      latency: null,
      cacheOrigin: null,
      generatedLogprobs: [],
      modelLogprobs: [],
    };
    assert.deepEqual({ ...withNulls, ...volatile }, { ...without, ...volatile });
    for (const name of optional) {
      const response = await tiny.post('/v1/completions', { prompt: 'a', max_tokens: 2, [name]: null });
      assert.equal(response.status, 200, `${name}: ${await response.text()}`);
    }
  });

  it('keep working in /infill, too, where null stands for a field that was not set', async () => {
    const names = Object.keys(infillRequestSchema.shape);
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    const one = { prompt: 'const a', n_predict: 4, temperature: 0 };
    const content = async (body: object) => {
      const response = await tiny.post('/infill', body);
      assert.equal(response.status, 200);
      return ((await response.json()) as InfillResponse).content;
    };
    assert.equal(await content({ ...nulls, ...one }), await content(one));
    await content({ ...one, input_extra: [{ filename: null, text: 'let b;' }] });
  });

  it('keep working with fields that are not known', async () => {
    const response = await tiny.post('/v1/completions', { prompt: 'a', max_tokens: 2, n: 1, user: 'me' });
    assert.equal(response.status, 200);
  });

  it('are answered 400 when the body is no JSON, 415 when it is something else', async () => {
    const send = (body: string, type: string) =>
      fetch(`${tiny.url}/v1/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type },
        body,
      });
    const broken = await send('{"prompt":', 'application/json');
    assert.equal(broken.status, 400);
    assert.equal(((await broken.json()) as ErrorResponse).error.code, 'invalid_json');
    const text = await send('hello', 'text/csv');
    assert.equal(text.status, 415);
    assert.equal(((await text.json()) as ErrorResponse).error.code, 'unsupported_media_type');
  });

  it('are answered 401 without the token, 404 where there is nothing', async () => {
    const denied = await tiny.post(
      '/v1/completions',
      { prompt: 'a' },
      { headers: { authorization: 'Bearer no' } },
    );
    assert.equal(denied.status, 401);
    assert.equal(((await denied.json()) as ErrorResponse).error.type, 'authentication_error');
    const missing = await tiny.get('/v2/completions');
    assert.equal(missing.status, 404);
    assert.match(((await missing.json()) as ErrorResponse).error.message, /\/v2\/completions/);
  });

  it('are answered 403 when they come from a page or for another host', async () => {
    const status = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const asked = httpRequest(`${tiny.url}/v1/models`, {
          headers: { authorization: `Bearer ${TOKEN}`, ...headers },
        });
        asked.on('response', (response) => {
          response.resume();
          resolve(response.statusCode!);
        });
        asked.on('error', reject).end();
      });
    assert.equal(await status({}), 200);
    assert.equal(await status({ host: 'evil.example' }), 403);
    assert.equal(await status({ origin: 'https://evil.example' }), 403);
  });

  it('need no token for /health', async () => {
    const response = await fetch(`${tiny.url}/health`);
    assert.equal(response.status, 200);
    assert.equal(((await response.json()) as { status: string }).status, 'ok');
  });

  it('with a prompt longer than the context lose its left part, keep the markers, and are told', async () => {
    const prompt = `${'const x = 1;\n'.repeat(400)}let last = `;
    const answer = await tiny.complete({
      prompt,
      suffix: '\n}\n'.repeat(200),
      max_tokens: 8,
      temperature: 0,
    });
    const { promptTokens } = tiny.records.at(-1)!;
    assert.ok(answer.truncated_tokens! > 500);
    assert.ok(promptTokens.length + 8 <= tiny.engine.model.contextTokens);
    assert.deepEqual(
      promptTokens.filter((token) => token >= 1 && token <= 6),
      [1, 2, 3],
    );
    const text = tiny.engine.detokenize(promptTokens);
    assert.ok(text.startsWith('\n}\n') && text.endsWith('let last = '));
  });

  it('with a plain prompt longer than the context lose its left part', async () => {
    const answer = await tiny.complete({ prompt: `${'a b '.repeat(2000)}the end`, max_tokens: 4 });
    assert.ok(answer.truncated_tokens! > 500);
    assert.ok(tiny.engine.detokenize(tiny.records.at(-1)!.promptTokens).endsWith('the end'));
  });

  it('with a prompt of 5 MB are answered like any long one', async () => {
    const prompt = 'const value = 12345;\n'.repeat((5 * MEGABYTE) / 21);
    const started = performance.now();
    const answer = await tiny.complete({ prompt, suffix: '', max_tokens: 2 });
    assert.ok(answer.truncated_tokens! > MEGABYTE);
    assert.ok(performance.now() - started < 5000);
  });

  it('with a body above the cap are answered 413', async () => {
    const response = await tiny.post('/v1/completions', { prompt: 'a'.repeat(9 * MEGABYTE) });
    assert.equal(response.status, 413);
    assert.equal(((await response.json()) as ErrorResponse).error.code, 'body_too_large');
  });

  it('that want more than the context holds get what fits', async () => {
    const answer = await tiny.complete({ prompt: 'const a', max_tokens: 4096, temperature: 0, top_k: 1 });
    assert.ok(answer.usage.total_tokens <= tiny.engine.model.contextTokens);
  });

  it('for two adapters at once are refused', async () => {
    const response = await tiny.post('/lora-adapters', [
      { id: 1, scale: 1 },
      { id: 2, scale: 1 },
    ]);
    assert.equal(response.status, 400);
    assert.match(((await response.json()) as ErrorResponse).error.message, /1 and 2/);
  });
});

describe('a service whose model is not there yet', () => {
  it('answers 503, and says "loading" at /health', async () => {
    const { app } = createInferenceService({
      host: '127.0.0.1',
      token: TOKEN,
      defaults: { temperature: 0.3, maxTokens: 16 },
      sink: { recordCompletion: () => assert.fail(), countCancelled: () => assert.fail() },
      logger: quiet,
    });
    try {
      const headers = { host: '127.0.0.1', authorization: `Bearer ${TOKEN}` };
      const answer = await app.inject({
        method: 'POST',
        url: '/v1/completions',
        headers,
        payload: { prompt: 'a' },
      });
      assert.equal(answer.statusCode, 503);
      assert.equal(answer.json<ErrorResponse>().error.code, 'loading');
      const health = await app.inject({ url: '/health', headers });
      assert.equal(health.statusCode, 503);
      assert.equal(health.json<{ status: string }>().status, 'loading');
    } finally {
      await app.close();
    }
  });
});

describe('a port that is taken', () => {
  it('is named with the option to change', async () => {
    const tiny = await openTinyService();
    const other = createInferenceService({
      host: '127.0.0.1',
      token: TOKEN,
      defaults: { temperature: 0.3, maxTokens: 16 },
      sink: { recordCompletion: () => undefined, countCancelled: () => undefined },
      logger: quiet,
    });
    try {
      const port = Number(new URL(tiny.url).port);
      await assert.rejects(listen(other.app, '127.0.0.1', port, '--inference-port'), {
        code: 'port_in_use',
        param: '--inference-port',
        message: new RegExp(`Port ${port} on 127\\.0\\.0\\.1 .*--inference-port`),
      });
    } finally {
      await other.app.close();
      await tiny.close();
    }
  });
});

describe('a model file', () => {
  const folder = temporaryFolder();
  const good = join(folder, 'good.gguf');
  before(() => void writeTinyModel(good));
  after(() => rmSync(folder, { recursive: true }));

  const load = (modelPath: string) =>
    loadEngine({ modelPath, gpu: 'cpu', threads: 1, dataDir: null, logger: quiet });

  it('that is missing is named', async () => {
    await assert.rejects(load(join(folder, 'nowhere.gguf')), {
      code: 'model_missing',
      message: /nowhere\.gguf.*--model/,
    });
  });

  it('that is no GGUF file is named', async () => {
    const path = join(folder, 'text.gguf');
    writeFileSync(path, 'hello, world');
    await assert.rejects(load(path), { code: 'model_corrupt', message: /text\.gguf/ });
  });

  it('that breaks off is named, in its head as in its weights', async () => {
    const { length } = readFileSync(good);
    for (const size of [100, 3000, length - 4096]) {
      const path = join(folder, `broken-${size}.gguf`);
      copyFileSync(good, path);
      truncateSync(path, size);
      await assert.rejects(load(path), { code: 'model_corrupt', message: /broken/ }, `${size} bytes`);
    }
  });

  it('of an unknown architecture is refused by name', async () => {
    const path = join(folder, 'mamba.gguf');
    writeTinyModel(path, { architecture: 'mamba' });
    await assert.rejects(load(path), { code: 'model_unsupported', message: /"mamba".*llama and qwen2/ });
  });

  for (const gpu of ['cuda', 'vulkan', 'metal'] as const) {
    it(`on ${gpu} is served there, or the back end is refused by name`, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, [LOAD_ON, good, gpu]);
      const loaded = JSON.parse(stdout) as LoadedOn;
      if ('device' in loaded) assert.equal(loaded.device, gpu);
      else {
        assert.equal(loaded.code, 'gpu_unavailable');
        assert.match(loaded.message, new RegExp(`"${gpu}".*--gpu`));
      }
    });
  }
});

describe('the hash of a model file', () => {
  it('is kept in the data folder until the file changes', async () => {
    const tiny: TinyEngine = await openTinyEngine();
    try {
      const dataDir = join(tiny.folder, 'data');
      const open = async () => {
        const engine = await loadEngine({
          modelPath: tiny.modelPath,
          gpu: 'cpu',
          threads: 1,
          dataDir,
          logger: quiet,
        });
        const { hash } = engine.model;
        await engine.dispose();
        return hash;
      };
      assert.equal(await open(), tiny.engine.model.hash);
      const cache = join(dataDir, 'model-hashes.json');
      writeFileSync(cache, readFileSync(cache, 'utf8').replace(tiny.engine.model.hash, 'f'.repeat(64)));
      assert.equal(await open(), 'f'.repeat(64), 'the kept hash is used');
      writeTinyModel(tiny.modelPath, { seed: 2 });
      const changed = await open();
      assert.match(changed, /^[0-9a-f]{64}$/);
      assert.ok(changed !== tiny.engine.model.hash && changed !== 'f'.repeat(64));
    } finally {
      await tiny.close();
    }
  });
});
