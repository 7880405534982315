import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import Fastify, { type FastifyInstance } from 'fastify';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FeedbackEvent } from '../../extension/common/contracts/feedback.ts';
import { CompanionClient } from '../../extension/node/companionClient.ts';
import { Outbox } from '../../extension/node/outbox.ts';
import { Store, type StoreState } from '../../extension/node/store.ts';
import { StoreDatabase, WINDOW_GONE_MS } from '../../extension/node/storeDatabase.ts';
import { installationTokens } from '../../extension/node/tokens.ts';
import { outcomeEvent, shownCompletion } from '../fixtures/extensionRecords.ts';
import { until } from '../fixtures/until.ts';

const WORKER = join(import.meta.dirname, '..', '..', 'extension', 'node', 'storeWorker.ts');
const TOKENS = { inference: 'i', feedback: 'f' };

/** For a store whose thread must not end. */
const steady = ({ kind }: StoreState) => assert.fail(`The store is ${kind}.`);

describe("the extension's store", () => {
  let folder: string;
  let path: string;
  let opened: { close(): unknown }[];
  beforeEach(() => {
    opened = [];
    folder = mkdtempSync(join(tmpdir(), 'hone-extension-'));
    path = join(folder, 'extension.sqlite');
  });
  // Here and not in the cases: what a failed one left open would lock the file, or keep the run from its end.
  afterEach(async () => {
    for (const one of opened.reverse()) await one.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function closedLater<T extends { close(): unknown }>(one: T): T {
    opened.push(one);
    return one;
  }
  const openDatabase = (): StoreDatabase => closedLater(new StoreDatabase(path));
  const openStore = (): Store => closedLater(new Store(WORKER, path, steady));

  it('keeps one outcome a completion and one event an id', () => {
    const database = openDatabase();
    const event = outcomeEvent();
    assert.equal(database.appendEvents('w', [event, outcomeEvent()]), 2);
    assert.equal(database.appendEvents('w', [event]), 0);
    assert.equal(database.appendEvents('w', [outcomeEvent(event.completionId)]), 0);
    const { events, pending, outcomes } = database.counts();
    assert.deepEqual({ events, pending, outcomes }, { events: 2, pending: 2, outcomes: { accepted: 2 } });
  });

  it('counts what was judged from a time on: taken, or rejected where it was seen', () => {
    const database = openDatabase();
    const early = { ...outcomeEvent(), at: 1000 };
    const late = [2000, 3000].map((at) => ({ ...outcomeEvent(), at }));
    const rejected = (['command', 'inferred'] as const).map((evidence) => ({
      ...outcomeEvent(),
      at: 2500,
      outcome: { kind: 'rejected', how: 'escape' } as const,
      evidence,
    }));
    const ignored = { ...outcomeEvent(), at: 2500, outcome: { kind: 'ignored', shownMs: 900 } as const };
    database.appendEvents('w', [early, ...late, ...rejected, ignored]);
    assert.deepEqual(database.judgedSince(2000), { taken: 2, judged: 3 });
    assert.deepEqual(database.judgedSince(4000), { taken: 0, judged: 0 });
  });

  it('keeps how sure the model was, where that is known', () => {
    const database = openDatabase();
    database.recordCompletion(shownCompletion('a'));
    database.recordCompletion({ ...shownCompletion('b'), confidence: null });
    database.close();
    const raw = new Database(path);
    const rows = raw.prepare(
      'SELECT mean_logprob, min_logprob, first_probability FROM completions ORDER BY id',
    );
    assert.deepEqual(rows.raw().all(), [
      [-0.5, -1, 0.75],
      [null, null, null],
    ]);
    raw.close();
  });

  it('is there after it was closed, in order, until it is delivered', () => {
    const events = [outcomeEvent(), outcomeEvent(), outcomeEvent()];
    let database = openDatabase();
    database.recordCompletion(shownCompletion('a'));
    database.appendEvents('w', events);
    database.close();
    database = openDatabase();
    assert.equal(database.counts().completions, 1);
    const rows = database.dueDeliveries('w', 0, 10);
    assert.deepEqual(
      rows.map((row) => JSON.parse(row.body) as unknown),
      events,
    );
    database.delivered(rows[0]!.sequence);
    database.postpone(rows[1]!.sequence, 5000, 'later');
    assert.deepEqual(
      database.dueDeliveries('w', 4999, 10).map((row) => row.eventId),
      [events[2]!.id],
    );
    assert.equal(database.dueDeliveries('w', 5000, 10)[0]!.attempts, 1);
  });

  it('hands the events of a window that is gone to one that lives', () => {
    const database = openDatabase();
    database.heartbeat('first', 1000);
    database.appendEvents('first', [outcomeEvent()]);
    assert.equal(database.heartbeat('second', 1000 + WINDOW_GONE_MS), 0);
    assert.equal(database.heartbeat('second', 1001 + WINDOW_GONE_MS), 1);
    assert.equal(database.dueDeliveries('second', 0, 10).length, 1);
    database.appendEvents('third', [outcomeEvent()]);
    database.heartbeat('third', 2000 + WINDOW_GONE_MS);
    database.closeWindow('third');
    assert.equal(database.heartbeat('second', 2000 + WINDOW_GONE_MS), 1);
  });

  it('forgets what is old, but nothing that is on its way', () => {
    const database = openDatabase();
    const [old, waiting] = [outcomeEvent(), outcomeEvent()];
    database.recordCompletion(shownCompletion('a', 0));
    database.recordCompletion(shownCompletion('b'));
    database.appendEvents('w', [old, waiting]);
    database.delivered(database.dueDeliveries('w', 0, 1)[0]!.sequence);
    database.prune(Date.now());
    const { completions, events, pending } = database.counts();
    assert.deepEqual({ completions, events, pending }, { completions: 1, events: 1, pending: 1 });
  });

  it('forgets the oldest of what is delivered when there is too much, and old refusals', () => {
    const database = openDatabase();
    const events = [1, 2, 3, 4, 5].map((at) => outcomeEvent(undefined, at));
    database.appendEvents('w', events);
    const [waiting, refused, ...delivered] = database.dueDeliveries('w', 0, 10);
    database.refuse(refused!.sequence, 1000, 'not one');
    for (const { sequence } of delivered) database.delivered(sequence);
    for (const [at, id] of [...'abc'].entries()) database.recordCompletion(shownCompletion(id, at));
    database.prune(1000, { days: 1, completions: 2, events: 2 });
    assert.deepEqual(database.counts(), {
      completions: 2,
      events: 3,
      pending: 1,
      refused: 1,
      outcomes: { accepted: 3 },
    });
    assert.equal(database.dueDeliveries('w', 0, 10)[0]!.eventId, waiting!.eventId);
    database.prune(1001 + 24 * 60 * 60 * 1000, { days: 1, completions: 2, events: 2 });
    const { completions, events: kept, refused: refusals } = database.counts();
    assert.deepEqual({ completions, kept, refusals }, { completions: 0, kept: 1, refusals: 0 });
  });

  it('is shared by two windows that write at once', async () => {
    const stores = [openStore(), openStore()];
    const writes = stores.flatMap((store, window) =>
      Array.from({ length: 50 }, () => store.call('appendEvents', `w${window}`, [outcomeEvent()])),
    );
    assert.deepEqual(new Set(await Promise.all(writes)), new Set([1]));
    assert.equal((await stores[0]!.call('counts')).events, 100);
  });

  it('waits for another window that makes the file this moment', async () => {
    const other = closedLater(new Database(path));
    other.exec('BEGIN IMMEDIATE');
    setTimeout(() => other.close(), 500);
    const store = openStore();
    assert.equal((await store.call('counts')).events, 0);
  });

  it('says what is wrong when it can not be opened', async () => {
    const states: StoreState[] = [];
    const store = new Store(WORKER, folder, (state) => states.push(state));
    await assert.rejects(store.call('counts'), /can't be used: .*open/);
    assert.equal(states.at(-1)?.kind, 'down');
    await assert.rejects(store.call('counts'), /can't be used: .*open/);
  });

  it('gives two windows that start at once the same tokens, readable by the user alone', async () => {
    const file = join(folder, 'deep', 'tokens.json');
    const all = await Promise.all(Array.from({ length: 8 }, () => installationTokens(file)));
    assert.equal(new Set(all.map((tokens) => JSON.stringify(tokens))).size, 1);
    assert.notEqual(all[0]!.inference, all[0]!.feedback);
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  describe('outbox', () => {
    let server: FastifyInstance;
    let store: Store;
    let outbox: Outbox;
    let received: FeedbackEvent[];
    /** Status for the next requests; 200 when used up. */
    let answers: number[];

    /** The real HTTP client against a real server that answers as it is told. */
    beforeEach(async () => {
      received = [];
      answers = [];
      server = Fastify();
      server.post('/api/training/submit', async (request, reply) => {
        const status = answers.shift() ?? 200;
        if (status !== 200) {
          const error = { message: 'told to', type: 't', code: 'c', param: null };
          return reply.status(status).send({ error });
        }
        received.push(request.body as FeedbackEvent);
        return { status: 'submitted', message: 'ok', queue_position: 0 };
      });
      const base = await server.listen({ host: '127.0.0.1', port: 0 });
      store = openStore();
      outbox = open('w', base);
    });
    afterEach(async () => {
      await outbox.stop();
      await server.close();
    });

    function open(window: string, base: string): Outbox {
      const client = new CompanionClient({ inference: base, feedback: base }, TOKENS);
      return new Outbox({ store, window, submit: (event) => client.submit(event), log: () => undefined });
    }
    const pending = async () => (await store.call('counts')).pending;

    it('delivers in order, each once when all goes well', async () => {
      const events = [outcomeEvent(), outcomeEvent(), outcomeEvent()];
      await outbox.add(events.slice(0, 2));
      await outbox.add(events.slice(2));
      await until(async () => (await pending()) === 0, 'delivery');
      assert.deepEqual(received, events);
    });

    it('keeps what the store does not take, and stores it later', async () => {
      await pending();
      const other = closedLater(new Database(path));
      other.exec('BEGIN IMMEDIATE');
      const [kept, next] = [outcomeEvent(), outcomeEvent()];
      await assert.rejects(outbox.add([kept]), /locked/);
      other.exec('ROLLBACK');
      other.close();
      await outbox.add([next]);
      await until(async () => received.length === 2, 'delivery');
      assert.deepEqual(received, [kept, next]);
    }).timeout(30_000);

    it('keeps back what waits while it is held, and delivers it afterwards', async () => {
      outbox.hold(true);
      const event = outcomeEvent();
      await outbox.add([event]);
      outbox.wake();
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.deepEqual([received.length, await pending()], [0, 1]);
      outbox.hold(false);
      await until(async () => (await pending()) === 0, 'delivery');
      assert.deepEqual(received, [event]);
    });

    it('tries again what failed, keeping the order while nothing gets through', async () => {
      answers = [503];
      const events = [outcomeEvent(), outcomeEvent()];
      await outbox.add(events);
      await until(async () => (await pending()) === 0, 'delivery');
      assert.deepEqual(
        received.map(({ id }) => id),
        events.map(({ id }) => id),
      );
    });

    it('goes on with the others when one event fails', async () => {
      answers = [500];
      const [bad, good] = [outcomeEvent(), outcomeEvent()];
      await outbox.add([bad, good]);
      await until(async () => (await pending()) === 0, 'delivery');
      assert.deepEqual(
        received.map(({ id }) => id),
        [good.id, bad.id],
      );
    });

    it('puts aside what is refused for what it is', async () => {
      answers = [400];
      await outbox.add([outcomeEvent(), outcomeEvent()]);
      await until(async () => (await pending()) === 0, 'delivery');
      assert.equal(received.length, 1);
      assert.equal((await store.call('counts')).refused, 1);
    });

    it('delivers after a restart what was left', async () => {
      await outbox.stop();
      const event = outcomeEvent();
      await store.call('appendEvents', 'w', [event]);
      const { port } = server.server.address() as { port: number };
      outbox = open('w', `http://127.0.0.1:${port}`);
      outbox.wake();
      await until(() => received.length === 1, 'delivery');
      assert.equal(received[0]!.id, event.id);
    });

    it('delivers an event of a window that is gone', async () => {
      await store.call('appendEvents', 'gone', [outcomeEvent()]);
      await outbox.stop();
      const { port } = server.server.address() as { port: number };
      outbox = open('w', `http://127.0.0.1:${port}`);
      await until(() => received.length === 1, 'delivery');
    });
  });
});
