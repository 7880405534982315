import assert from 'node:assert/strict';
import { completionRecord } from '../fixtures/records.ts';
import { request } from '../fixtures/tinyEngine.ts';
import { openTinyService, type TinyService } from '../fixtures/tinyService.ts';
import { UnshownRecords } from '../../trainer/server/inference/unshown.ts';

const AHEAD = { prompt: 'const a = ', suffix: ';\n', max_tokens: 4, look_ahead: true };
const LONG = 'const a = the return();\n'.repeat(12);

describe('look-ahead', () => {
  let tiny: TinyService;
  before(async () => {
    tiny = await openTinyService();
  });
  after(() => tiny.close());
  beforeEach(() => void tiny.records.splice(0));

  const shown = (id: string, version = 7) =>
    tiny.post('/v1/completions/shown', { id, document_version: version });
  const codeOf = async (response: Awaited<ReturnType<TinyService['post']>>) => {
    const body = (await response.json()) as { error?: { code: string } };
    return [response.status, body.error?.code];
  };

  it('is recorded when it is shown, once, as of then', async () => {
    const answer = await tiny.complete(AHEAD);
    assert.equal(tiny.records.length, 0);
    const before = Date.now();
    const response = await shown(answer.id);
    assert.deepEqual(await response.json(), { status: 'recorded', id: answer.id });
    const record = tiny.records.at(0);
    assert.equal(record!.id, answer.id);
    assert.equal(record!.rawText, answer.choices[0]!.text);
    assert.equal(record!.documentVersion, 7);
    assert.equal(record!.cacheOrigin, 'lookAhead');
    assert.ok(record!.createdAt >= before);
    assert.deepEqual(await codeOf(await shown(answer.id)), [404, 'unknown_completion']);
    assert.equal(tiny.records.length, 1);
  });

  it('leaves nothing when it is not shown, or may not be recorded', async () => {
    await tiny.complete(AHEAD);
    const unrecorded = await tiny.complete({ ...AHEAD, record: false });
    assert.deepEqual(await codeOf(await shown(unrecorded.id)), [404, 'unknown_completion']);
    assert.deepEqual(tiny.records, []);
    assert.equal(tiny.cancelled(), 0);
  });

  it('is not what any other completion is', async () => {
    const { id } = await tiny.complete({ ...AHEAD, look_ahead: false });
    assert.equal(tiny.records.length, 1);
    assert.deepEqual(await codeOf(await shown(id)), [404, 'unknown_completion']);
    const response = await tiny.post('/v1/completions/shown', { id });
    assert.deepEqual(await codeOf(response), [400, 'invalid_request']);
  });

  it('gives way to what somebody waits for, and says so', async () => {
    const ahead = tiny.post('/v1/completions', { ...AHEAD, prompt: LONG, max_tokens: 200, temperature: 0 });
    await new Promise<void>((resolve) => {
      const stop = tiny.engine.onBusy((busy) => {
        if (!busy) return;
        stop();
        resolve();
      });
    });
    const answer = await tiny.complete({ prompt: `${LONG}x`, suffix: ';\n', max_tokens: 1 });
    assert.deepEqual(await codeOf(await ahead), [409, 'overtaken']);
    assert.deepEqual(
      tiny.records.map(({ id }) => id),
      [answer.id],
    );
  });

  it('reads a prompt for what comes next and writes nothing, when no token is wanted', async () => {
    const read = { prompt: LONG, suffix: ';\n', max_tokens: 0 };
    const figures = async () => {
      const text = await (await tiny.get('/metrics')).text();
      return ['prompts_read', 'completions', 'prompt_tokens'].map((name) =>
        Number(new RegExp(`^hone_${name}_total (\\d+)$`, 'm').exec(text)![1]),
      );
    };
    const [reads, ...others] = await figures();
    const answer = await tiny.complete(read);
    assert.deepEqual(await figures(), [reads! + 1, ...others], 'it counts as no completion');
    assert.deepEqual([answer.choices[0]!.text, answer.choices[0]!.finish_reason], ['', 'length']);
    assert.deepEqual([tiny.records, tiny.cancelled()], [[], 0]);
    const { usage, timings } = await tiny.complete({ ...read, max_tokens: 1 });
    assert.ok(usage.prompt_tokens - timings.cached_tokens <= 1, `${timings.cached_tokens} tokens were read`);
  });

  it('ends with the token under way, and leaves the prompt to what overtook it', async () => {
    const { engine } = tiny;
    let tokens = 0;
    const ask = request(engine, LONG, { maxTokens: 60, temperature: 1 });
    const later = request(engine, `${LONG}x`, { maxTokens: 1 });
    let next: ReturnType<typeof engine.generate> | undefined;
    const ahead = await engine.generate({
      ...ask,
      priority: 'lookahead',
      onToken: () => {
        if (++tokens === 3) next = engine.generate(later);
      },
    });
    assert.equal(ahead.finishReason, 'cancelled');
    assert.equal(ahead.tokens.length, 3);
    const { cachedTokens, finishReason } = await next!;
    assert.equal(finishReason, 'length');
    assert.ok(cachedTokens >= ask.prompt.length - 3, `${cachedTokens} of ${ask.prompt.length}`);
  });

  it('keeps the newest in memory', () => {
    const records = new UnshownRecords();
    const all = Array.from({ length: 65 }, () => completionRecord());
    for (const record of all) records.keep(record);
    assert.equal(records.take(all[0]!.id, 1), undefined);
    assert.equal(records.take(all[1]!.id, 1)!.id, all[1]!.id);
  });
});
