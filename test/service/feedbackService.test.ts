import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import {
  deletionSchema,
  flatFeedbackSchema,
  placesResponseSchema,
  submitResponseSchema,
  trainingStatusSchema,
} from '../../extension/common/contracts/index.ts';
import { DATABASE_FILE } from '../../trainer/store/database.ts';
import { isHeldOut } from '../../trainer/store/heldOut.ts';
import { openLearningService, type LearningService } from '../fixtures/learningService.ts';
import { correctionEvent, outcomeEvent, place, retentionEvent } from '../fixtures/records.ts';
import { SECRET_CASES, type SecretCase } from '../fixtures/secrets.ts';

const SUBMIT = '/api/training/submit';

describe('feedback service', () => {
  let service: LearningService;
  before(async () => (service = await openLearningService({ batchEvents: 1000, maxQueued: 200 })));
  after(() => service.close());

  const submit = (body: unknown, token?: string) => service.call('POST', SUBMIT, body, token);
  const flat = (change: object = {}) => ({
    prompt: `const ${uuidv7()} = `,
    completion: 'one;',
    accepted: true,
    ...change,
  });

  describe('places of files', () => {
    const at = (index: number, change: object = {}) => ({
      ...{ path: 'src/a.ts', offset: 1000 + 50 * index, prefix: `// ${index}\nlet a = `, suffix: ';\n' },
      ...{ text: `value${index}`, ...change },
    });
    const teach = (places: object[], change: object = {}) =>
      service.call('POST', '/api/training/places', { v: 1, workspaceKey: 'w', places, ...change });

    it('are kept once, a part of them held out, and nobody counts as having been shown them', async () => {
      const before = await service.status();
      const places = Array.from({ length: 20 }, (_, index) => at(index));
      const { status, body } = await teach(places);
      assert.equal(status, 200);
      const { stored, heldOut, known } = placesResponseSchema.parse(body);
      assert.deepEqual([stored + heldOut, known], [20, 0]);
      assert.ok(heldOut > 0 && stored > heldOut, `${stored} and ${heldOut}`);
      const after = await service.status();
      assert.deepEqual([after.queued, after.stored], [before.queued + stored, before.stored + 20]);
      assert.deepEqual(after.served, before.served);
      const again = placesResponseSchema.parse((await teach([...places, at(99)])).body);
      assert.deepEqual([again.stored + again.heldOut, again.known], [1, 20]);
    });

    it('are held out with the line that they are in, as completions are', async () => {
      for (let line = 0; line < 12; line++) {
        const start = 50_000 + 100 * line;
        const inLine = { prefix: '// above\n  const value = ', offset: start + 16 };
        const { heldOut } = placesResponseSchema.parse((await teach([at(0, inLine)])).body);
        const served = { relativePath: 'src/a.ts', offset: start, column: 0, promptText: '' };
        assert.equal(heldOut === 1, isHeldOut(served), `line at ${start}`);
      }
    });

    it('are masked, and read by the model as its own prompt', async () => {
      const [{ secret, code }] = SECRET_CASES as [SecretCase];
      await teach([at(200, { prefix: `${code}\nlet b = ` })]);
      const database = new Database(join(service.dataDir, DATABASE_FILE), { readonly: true });
      const row = database.prepare('SELECT * FROM completions WHERE offset = 11000').get() as {
        prompt_text: string;
        prompt_tokens: Buffer;
      };
      database.close();
      assert.match(row.prompt_text, /let b = /);
      assert.ok(!row.prompt_text.includes(secret));
      assert.ok(row.prompt_tokens.length > 0);
    });

    it('go with their workspace, and can be learned from again when that is asked for', async () => {
      const places = Array.from({ length: 10 }, (_, index) => at(index));
      const counts = async () => {
        const { stored, heldOut, known } = placesResponseSchema.parse(
          (await teach(places, { workspaceKey: 'gone' })).body,
        );
        return [stored + heldOut, known];
      };
      assert.deepEqual(await counts(), [10, 0]);
      const { status, body } = await service.call('DELETE', '/api/data?workspace=gone');
      assert.equal(status, 200);
      assert.equal(deletionSchema.parse(body).events, 10);
      assert.deepEqual(await counts(), [10, 0]);
    });

    it('are refused when nothing stands there, when there are too many, or without a path', async () => {
      for (const [places, said] of [
        [[at(0, { text: '' })], /text/],
        [Array.from({ length: 257 }, (_, index) => at(index)), /256/],
        [[at(0, { path: undefined })], /path/],
        [[], /places/],
      ] as [object[], RegExp][]) {
        const { status, body } = await teach(places);
        assert.equal(status, 400);
        assert.match(body.error.message, said);
      }
    });
  });

  describe('submit', () => {
    it('answers when the event is stored, and once more when it comes again', async () => {
      const before = await service.status();
      const event = outcomeEvent(service.completion(), { kind: 'accepted' });
      const first = await submit(event);
      assert.equal(first.status, 200);
      assert.equal(submitResponseSchema.parse(first.body).status, 'submitted');
      const again = await submit(event);
      assert.equal(again.status, 200);
      const after = await service.status();
      assert.equal(after.stored, before.stored + 1);
      assert.equal(after.queued, before.queued + 1);
    });

    it('answers 409 to another outcome of the same completion', async () => {
      const record = service.completion();
      await service.submit(outcomeEvent(record, { kind: 'accepted' }));
      const { status, body } = await submit(outcomeEvent(record, { kind: 'rejected', how: 'escape' }));
      assert.equal(status, 409);
      assert.equal(body.error.code, 'outcome_conflict');
      assert.match(body.error.message, /already ended as/);
    });

    it('takes a batch: conflicts are told one by one and do not hold up the rest', async () => {
      const [a, b] = [service.completion(), service.completion()];
      await service.submit(outcomeEvent(a, { kind: 'accepted' }));
      const events = [
        outcomeEvent(a, { kind: 'silent' }),
        outcomeEvent(b, { kind: 'rejected', how: 'escape' }),
        correctionEvent(b.id, 'two;'),
        retentionEvent(a.id, 120, 0.5),
      ];
      const { status, body } = await submit({ v: 1, events });
      assert.equal(status, 200);
      assert.deepEqual(
        body.results.map((result) => result.status),
        ['conflict', 'stored', 'stored', 'stored'],
      );
      const again = await submit({ v: 1, events });
      assert.deepEqual(
        again.body.results.map((result) => result.status),
        ['conflict', 'duplicate', 'duplicate', 'duplicate'],
      );
    });

    it('keeps unknown fields of a newer peer', async () => {
      const event = { ...outcomeEvent(service.completion(), { kind: 'accepted' }), mood: 'good' };
      await service.submit(event);
      const database = new Database(join(service.dataDir, DATABASE_FILE), { readonly: true });
      const body = database.prepare('SELECT body FROM events WHERE id = ?').pluck().get(event.id) as string;
      database.close();
      assert.equal((JSON.parse(body) as { mood: string }).mood, 'good');
    });

    const good = () => outcomeEvent({ id: uuidv7() }, { kind: 'accepted' });
    const wrong: [string, () => unknown, string][] = [
      ['a missing field of a flat body', () => ({ prompt: 'a', completion: 'b' }), 'accepted'],
      ['a wrong type in a flat body', () => flat({ accepted: 'yes' }), 'accepted'],
      ['a fraction above 1', () => flat({ retained: 1.5 }), 'retained'],
      ['an unknown kind', () => ({ ...good(), kind: 'guess' }), 'kind'],
      ['an outcome that does not exist', () => ({ ...good(), outcome: { kind: 'loved' } }), 'outcome.kind'],
      ['a missing field of an outcome', () => ({ ...good(), outcome: { kind: 'rejected' } }), 'outcome.how'],
      ['an id that is none', () => ({ ...good(), id: 'seven' }), 'id'],
      ['a version that is not known', () => ({ ...good(), v: 2 }), 'v'],
      ['a bad event in a batch', () => ({ v: 1, events: [good(), { ...good(), at: 'now' }] }), 'events.1.at'],
      ['an empty batch', () => ({ v: 1, events: [] }), 'events'],
    ];
    for (const [name, body, field] of wrong)
      it(`answers 400 and names the field: ${name}`, async () => {
        const before = (await service.status()).stored;
        const answer = await submit(body());
        assert.equal(answer.status, 400);
        assert.equal(answer.body.error.code, 'invalid_request');
        assert.equal(answer.body.error.param, field);
        assert.match(answer.body.error.message, new RegExp(`"${field}"`));
        assert.equal((await service.status()).stored, before, 'nothing of it is stored');
      });

    it('answers 400 to what is no JSON and to nothing', async () => {
      const response = await fetch(`${service.url}${SUBMIT}`, {
        method: 'POST',
        headers: { authorization: 'Bearer feedback-token', 'content-type': 'application/json' },
        body: '{"prompt": ',
      });
      assert.equal(response.status, 400);
      assert.equal((await submit(undefined)).status, 400);
    });

    it('answers 401 to a wrong token and stores nothing', async () => {
      const before = (await service.status()).stored;
      const { status, body } = await submit(flat(), 'wrong');
      assert.equal(status, 401);
      assert.equal(body.error.code, 'unauthorized');
      assert.equal((await service.status()).stored, before);
    });
  });

  describe('flat bodies', () => {
    const facts = (id: string) => service.store.facts.undecided().find((one) => one.completionId === id);

    it('join a recorded completion by its id', async () => {
      const record = service.completion();
      await service.submit(
        flat({ completionId: record.id, completion: record.rawText, accepted: false, typed: 'x' }),
      );
      const joined = facts(record.id)!;
      assert.equal(joined.completion!.source, 'served');
      assert.deepEqual(joined.correction, { typed: 'x' });
      assert.equal(joined.evidence, 'event');
    });

    it('join by prompt and text when the id is the tracker’s own', async () => {
      const record = service.completion({ promptText: 'let joined = ' });
      await service.submit(
        flat({ completionId: uuidv7(), prompt: 'let joined = ', completion: record.rawText }),
      );
      assert.deepEqual(facts(record.id)!.retention, { fraction: 1, settled: true });
    });

    it('that join nothing are kept as the client’s own completion, without a policy term', async () => {
      const id = uuidv7();
      const body = {
        ...flat({ completionId: id, retained: 0.5 }),
        filepath: 'src/a.ts',
        prefix: 'x'.repeat(place(0, false).offset),
      };
      await service.submit(body);
      const own = service.store.completions.get(id)!;
      assert.equal(own.source, 'client');
      assert.equal(own.promptTokens, null);
      assert.equal(own.relativePath, 'src/a.ts');
    });

    it('take null, and an id that says nothing, as left out', async () => {
      const optional = Object.entries(flatFeedbackSchema.shape).filter(([, field]) => field.isOptional());
      assert.ok(optional.some(([name]) => name === 'typed'));
      const nulls = Object.fromEntries(optional.map(([name]) => [name, null]));
      const before = (await service.status()).stored;
      for (const change of [nulls, { completionId: '' }, { completionId: '' }]) {
        await service.submit(flat(change));
      }
      assert.equal((await service.status()).stored, before + 3, 'three events, not one told three times');
    });

    it('are kept from when they came, whatever the clock of the tracker says', async () => {
      for (const timestamp of [1_735_689_600.25, '2020-01-01T00:00:00Z', 'yesterday']) {
        const id = uuidv7();
        const began = Date.now();
        await service.submit(flat({ completionId: id, timestamp }));
        assert.ok(service.store.completions.get(id)!.createdAt >= began, String(timestamp));
      }
    });

    it('with the same id are one event, with another verdict a conflict', async () => {
      const body = flat({ completionId: uuidv7() });
      const before = (await service.status()).stored;
      await service.submit(body);
      await service.submit(body);
      assert.equal((await service.status()).stored, before + 1);
      assert.equal((await submit({ ...body, accepted: false })).status, 409);
    });

    it('that joined by prompt and text and come again are still one event', async () => {
      const records = [1, 2].map(() => service.completion({ promptText: 'let twice = ' }));
      const body = flat({ completionId: uuidv7(), prompt: 'let twice = ', completion: records[0]!.rawText });
      const before = (await service.status()).stored;
      await service.submit(body);
      await service.submit(body);
      assert.equal((await service.status()).stored, before + 1);
      assert.equal(records.filter((record) => facts(record.id) !== undefined).length, 1);
    });

    it('without an id are an event each, eligible at once', async () => {
      const before = await service.status();
      for (let index = 0; index < 20; index++) await service.submit(flat());
      const after = await service.status();
      assert.equal(after.stored, before.stored + 20);
      assert.equal(after.queued + after.heldOut, before.queued + before.heldOut + 20);
      assert.equal(after.open, before.open);
    });
  });

  describe('status and access', () => {
    it('tells how learning stands, in the contract’s shape', async () => {
      const status = trainingStatusSchema.parse(await service.status());
      assert.equal(status.adapterVersion, 0);
      assert.deepEqual(status.adapters, { default: { version: 0, model: 'tiny' } });
      assert.equal(status.state, 'waiting');
      assert.equal(status.lastRun, null);
    });

    it('answers health without a token, and numbers for Prometheus', async () => {
      const health = await fetch(`${service.url}/health`);
      assert.equal(health.status, 200);
      const told = (await health.json()) as { service: string; error?: string };
      assert.deepEqual([told.service, told.error], ['feedback', undefined]);
      const metrics = await fetch(`${service.url}/metrics`, {
        headers: { authorization: 'Bearer feedback-token' },
      });
      assert.match(await metrics.text(), /^hone_events_stored \d+$/m);
      assert.equal((await fetch(`${service.url}/metrics`)).status, 401);
    });

    it('refuses pages of other origins', async () => {
      const response = await fetch(`${service.url}/api/training/status`, {
        headers: { authorization: 'Bearer feedback-token', origin: 'http://example.com' },
      });
      assert.equal(response.status, 403);
    });
  });

  describe('when the queue is full', () => {
    it('answers 503 when the queue is full, and takes later facts all the same', async () => {
      const record = service.completion();
      await service.submit(outcomeEvent(record, { kind: 'rejected', how: 'escape' }));
      for (;;) {
        const { status, body } = await submit(flat());
        if (status === 200) continue;
        assert.equal(status, 503);
        assert.equal(body.error.code, 'queue_full');
        break;
      }
      assert.equal((await submit(outcomeEvent(service.completion(), { kind: 'accepted' }))).status, 503);
      assert.equal((await submit(correctionEvent(record.id, 'two;'))).status, 200);
    });
  });
});
