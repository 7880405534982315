import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { infillResponseSchema, type InfillResponse } from '../../extension/common/contracts/index.ts';
import { openTinyService, type TinyService } from '../fixtures/tinyService.ts';

type Bodies<Name extends string> = Record<Name, Record<string, unknown>>;

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/clients', name), 'utf8'));
const BODIES = fixture('llamaVscode.json') as Bodies<'completion' | 'next' | 'warmUp' | 'warmUpMore'>;
/** As its own code sent them. */
const WIRE = fixture('llamaVscodeRecorded.json') as Bodies<'completion' | 'warmUp' | 'ahead'>;

describe("llama.vscode's requests, replayed", () => {
  let tiny: TinyService;
  before(async () => {
    tiny = await openTinyService({ context: 2048 });
  });
  after(() => tiny.close());
  beforeEach(() => void tiny.records.splice(0));

  const infill = async (body: object): Promise<unknown> => {
    const response = await tiny.post('/infill', body);
    const answer: unknown = await response.json();
    assert.equal(response.status, 200, JSON.stringify(answer));
    return answer;
  };
  const one = async (body: object): Promise<InfillResponse> => infillResponseSchema.parse(await infill(body));

  it('are answered with as many completions as are asked for, each recorded', async () => {
    const answers = (await infill(BODIES.completion)) as InfillResponse[];
    assert.equal(answers.length, BODIES.completion.n_cmpl);
    const parsed = answers.map((answer) => infillResponseSchema.parse(answer));
    assert.deepEqual(
      parsed.map((answer) => answer.index),
      [0, 1, 2],
    );
    assert.deepEqual(
      tiny.records.map((record) => record.id),
      parsed.map((answer) => answer.id),
    );
    assert.ok(tiny.records.every((record) => record.sampling.topK === 40 && record.sampling.topP === 0.99));
    assert.ok(parsed.every((answer) => answer.tokens_predicted <= 128));
    const [first, second] = parsed;
    assert.ok(second!.tokens_cached >= first!.tokens_evaluated - 1, 'the prompt is read once');
  });

  it('show the chunks of other files to the model before the document, in its own way', async () => {
    await infill({ ...BODIES.completion, n_cmpl: 1 });
    const prompt = tiny.records[0]!.promptText;
    const chunks = BODIES.completion.input_extra as { filename: string; text: string }[];
    for (const chunk of chunks)
      assert.ok(prompt.includes(`<|file_sep|>${chunk.filename}\n${chunk.text}`), prompt);
    assert.ok(
      prompt.endsWith(`${String(BODIES.completion.input_prefix)}${String(BODIES.completion.prompt)}`),
    );
  });

  it('are answered side by side', async () => {
    const answers = await Promise.all(
      [BODIES.completion, BODIES.next, BODIES.warmUp, BODIES.next].map((body) => infill(body)),
    );
    assert.deepEqual(
      answers.map((answer) => (Array.isArray(answer) ? answer.length : 1)),
      [3, 3, 1, 3],
    );
  });

  it('read the context ahead (n_predict 0): nothing is generated or recorded, and the next one finds it read', async () => {
    const warm = await one(BODIES.warmUp);
    assert.equal(warm.content, '');
    assert.equal(warm.tokens_predicted, 0);
    assert.deepEqual(tiny.records, []);
    const { tokens_cached: cached } = await one(BODIES.warmUpMore);
    assert.ok(cached > 20, `${cached} tokens were there`);
    const next = await one({ ...BODIES.next, n_cmpl: 1 });
    assert.ok(next.tokens_cached > cached, `${next.tokens_cached} of ${next.tokens_evaluated}`);
  });

  it('that its own code sent are answered, the model that they name notwithstanding', async () => {
    const read = await one(WIRE.warmUp);
    assert.deepEqual([read.content, read.tokens_predicted, tiny.records.length], ['', 0, 0]);
    const answers = (await infill(WIRE.completion)) as InfillResponse[];
    const ahead = (await infill(WIRE.ahead)) as InfillResponse[];
    assert.deepEqual([answers.length, ahead.length], [WIRE.completion.n_cmpl, WIRE.ahead.n_cmpl]);
    for (const answer of [...answers, ...ahead]) infillResponseSchema.parse(answer);
    assert.equal(tiny.records.length, answers.length + ahead.length);
    assert.ok(tiny.records[0]!.promptText.endsWith(String(WIRE.completion.prompt)));
  });

  it('answer a reading that a keystroke ends', async () => {
    const long = { ...BODIES.warmUp, input_prefix: 'const a = the return();\n'.repeat(60) };
    const [reading, typed] = await Promise.all([one(long), one({ ...BODIES.next, n_cmpl: 1 })]);
    assert.equal(reading.tokens_predicted, 0);
    assert.ok(typed.tokens_predicted > 0);
  });

  it('ask for what there is to know of the server', async () => {
    const health = (await (await tiny.get('/health')).json()) as { status: string };
    assert.equal(health.status, 'ok');
    const models = (await (await tiny.get('/v1/models')).json()) as { data: { id: string }[] };
    assert.equal(models.data.length, 1);
    assert.deepEqual(await (await tiny.get('/lora-adapters')).json(), []);
  });

  it('name the fields of the answer that they want', async () => {
    const fields = ['content', 'timings/prompt_n', 'truncated', 'no_such_field'];
    const answer = (await infill({ ...BODIES.next, n_cmpl: 1, response_fields: fields })) as object;
    assert.deepEqual(Object.keys(answer).sort(), ['content', 'timings/prompt_n', 'truncated']);
  });

  it('are refused with the field where they ask for too much', async () => {
    for (const [body, field] of [
      [{ ...BODIES.next, n_cmpl: 7 }, 'n_cmpl'],
      [{ ...BODIES.next, stream: true }, 'n_cmpl'],
      [{ ...BODIES.next, n_indent: 'four' }, 'n_indent'],
    ] as const) {
      const response = await tiny.post('/infill', body);
      const { error } = (await response.json()) as { error: { param: string; message: string } };
      assert.equal(response.status, 400);
      assert.equal(error.param, field);
      assert.match(error.message, new RegExp(`Field "${field}"`));
    }
  });
});
