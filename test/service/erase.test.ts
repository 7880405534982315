import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { deletionSchema, type Deletion, type OutcomeEvent } from '../../extension/common/contracts/index.ts';
import { stepsOf } from '../../trainer/board/event.ts';
import { adapterFiles, openLearningService, type LearningService } from '../fixtures/learningService.ts';
import { correctionEvent, outcomeEvent, place, retentionEvent } from '../fixtures/records.ts';
import { openTinyEngine, type TinyEngine } from '../fixtures/tinyEngine.ts';

describe('deleting data', function () {
  this.timeout(120_000);
  let tiny: TinyEngine;
  let service: LearningService;

  before(async () => void (tiny = await openTinyEngine()));
  after(() => tiny.close());
  beforeEach(async () => {
    service = await openLearningService({ batchEvents: 4 }, { tiny });
  });
  afterEach(async () => {
    await service.close();
    rmSync(service.dataDir, { recursive: true });
    rmSync(join(tiny.folder, 'script.log'), { force: true });
  });

  const erase = async (path: string): Promise<Deletion> => {
    const { status, body } = await service.call('DELETE', path);
    assert.equal(status, 200, JSON.stringify(body));
    return deletionSchema.parse(body);
  };
  /** Trains one batch of four and returns its events. */
  const learn = async (version: number): Promise<OutcomeEvent[]> => {
    const events = await service.accept(4);
    await service.until((status) => status.adapterVersion === version && status.state === 'idle');
    return events;
  };

  it('takes the adapters out that learned from a forgotten event, and learns from the others again', async () => {
    await learn(1);
    const second = await learn(2);
    await learn(3);
    const [forgotten, ...kept] = second;
    const deletion = await erase(`/api/data/events/${forgotten!.id}`);
    assert.deepEqual(deletion.versions, [2, 3]);
    assert.equal(deletion.active, 1);
    assert.equal(deletion.events, 1);
    assert.equal(deletion.completions, 1);
    assert.equal(deletion.requeued, 7);
    assert.equal(service.store.events.completionOf(forgotten!.id), null);

    // The rest waits until a batch is full.
    await service.until((now) => now.adapterVersion === 4 && now.queued === 3);
    const again = service.log().at(-1)!;
    assert.equal(again.request.parent.version, 1);
    assert.ok(!again.eventIds.includes(forgotten!.id));
    assert.deepEqual(
      again.eventIds.slice(0, 3),
      kept.map((event) => event.id),
    );
  });

  it('finds the event by the id of its completion, too, and forgets it once', async () => {
    const [event] = await learn(1);
    assert.equal((await erase(`/api/data/events/${event!.completionId}`)).events, 1);
    const again = await erase(`/api/data/events/${event!.completionId}`);
    assert.deepEqual([again.events, again.completions, again.versions], [0, 0, []]);
  });

  it('stores nothing that comes later about a forgotten completion', async () => {
    const completion = service.completion();
    await erase(`/api/data/events/${completion.id}`);
    const events = [
      outcomeEvent(completion, { kind: 'accepted' }),
      retentionEvent(completion.id, 120, 1),
      correctionEvent(completion.id, 'typed later'),
    ];
    const answer = await service.submit({ v: 1, events });
    assert.deepEqual(
      answer.results!.map((one) => one.status),
      ['forgotten', 'forgotten', 'forgotten'],
    );
    const flat = { completionId: completion.id, prompt: 'p', completion: 'c', accepted: true };
    assert.match((await service.submit(flat)).message, /deleted/);
    assert.equal(service.store.events.count(), 0);
  });

  it('leaves no file, figure or line of the updates that are gone', async () => {
    await learn(1);
    const [forgotten] = await learn(2);
    await erase(`/api/data/events/${forgotten!.id}`);
    assert.ok(adapterFiles(service.store).every((name) => name.includes('global_step_1/')));
    assert.deepEqual(
      service.store.runs.list().map((run) => run.version),
      [1],
    );
    assert.deepEqual(service.store.adapters.get(2)!.figures, {});
    const board = join(service.dataDir, 'runs', 'default');
    const read = (name: string) => readFileSync(join(board, name), 'utf8');
    const steps = read('metrics.jsonl')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { step: number }).step);
    assert.deepEqual(steps, [1]);
    assert.match(read('train.log'), /version 1 /);
    assert.doesNotMatch(read('train.log'), /version 2 /);
    const [curves] = readdirSync(board).filter((name) => name.startsWith('events.'));
    assert.deepEqual(
      stepsOf(readFileSync(join(board, curves!))).map(({ step }) => step),
      [null, 1],
    );
  });

  it('takes what the gate said of a forgotten held-out event out of the runs that stay', async () => {
    const heldOut = service.completion(place(0, true));
    const event = outcomeEvent(heldOut, { kind: 'accepted' });
    await service.submit(event);
    await learn(1);
    const plan = join(service.store.adapterDir, 'default/global_step_1/checkpoint.json');
    assert.ok(readFileSync(plan, 'utf8').includes(event.id));
    assert.ok(scores().includes(event.id));
    const deletion = await erase(`/api/data/events/${event.id}`);
    assert.deepEqual([deletion.versions, deletion.active], [[], 1]);
    assert.ok(!readFileSync(plan, 'utf8').includes(event.id));
    assert.ok(!scores().includes(event.id));
  });

  it('deletes one workspace and leaves the others', async () => {
    const mine = Array.from({ length: 4 }, () =>
      outcomeEvent(
        service.completion({ workspaceKey: 'mine' }),
        { kind: 'accepted' },
        { workspaceKey: 'mine' },
      ),
    );
    for (const event of mine) await service.submit(event);
    await service.until((status) => status.adapterVersion === 1 && status.state === 'idle');
    await learn(2);
    const deletion = await erase('/api/data?workspace=mine');
    assert.deepEqual(
      [deletion.events, deletion.completions, deletion.versions, deletion.requeued, deletion.active],
      [4, 4, [1, 2], 4, 0],
    );
    const status = await service.until((now) => now.adapterVersion === 3);
    assert.equal(status.stored, 4);
  });

  it('deletes everything and begins again', async () => {
    await learn(1);
    await erase('/api/data?all=true');
    assert.deepEqual(readdirSync(service.store.adapterDir), []);
    const status = await service.status();
    assert.deepEqual(
      [status.stored, status.trained, status.heldOut, status.adapterVersion, status.lastRun],
      [0, 0, 0, 0, null],
    );
    assert.ok(!readdirSync(service.dataDir).includes('runs'));
    await learn(1);
  });

  it('is refused without the token, and when it is not said what to delete', async () => {
    assert.equal((await service.call('DELETE', '/api/data?all=true', undefined, 'wrong')).status, 401);
    for (const query of ['', '?all=yes', '?all=true&workspace=w', '?workspace=', '?everything=true'])
      assert.equal((await service.call('DELETE', `/api/data${query}`)).status, 400, query);
  });

  const scores = (): string => {
    const database = new Database(join(service.dataDir, 'experience.db'), { readonly: true });
    const found = database.prepare('SELECT group_concat(scores) FROM runs').pluck().get() as string;
    database.close();
    return found;
  };
});
