import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CompletionResponse, OutcomeEvent } from '../../extension/common/contracts/index.ts';
import { CompanionClient } from '../../extension/node/companionClient.ts';
import { learnerEntry } from '../../trainer/coordinator/learnerEntry.ts';
import { createInferenceService, type InferenceService } from '../../trainer/server/inference/service.ts';
import { openLearningService, type LearningService } from '../fixtures/learningService.ts';
import { correctionEvent, outcomeEvent, place } from '../fixtures/records.ts';
import { openTinyEngine, quiet, type TinyEngine } from '../fixtures/tinyEngine.ts';

const BATCH = 4;
const TOKEN = 'inference-token';
const LEFT = 'const a = ';
const IDIOMS = { red: 'return in on;', blue: 'const b = the;' };
type Workspace = keyof typeof IDIOMS;

describe('an adapter for each workspace', function () {
  this.timeout(120_000);
  let tiny: TinyEngine;
  let service: LearningService;
  let inference: InferenceService;

  const open = async (settings: object = {}, entry?: string) => {
    service = await openLearningService(
      { adapters: 'workspace', ...settings },
      { tiny, ...(entry === undefined ? {} : { entry }) },
    );
    inference = createInferenceService({
      host: '127.0.0.1',
      token: TOKEN,
      sink: service.store,
      defaults: { temperature: 0, maxTokens: 6 },
      logger: quiet,
    });
    inference.environment.ready(tiny.engine);
    inference.environment.adapters = {
      list: () => service.coordinator.loadable(),
      activate: async (version, scale) => void (await service.coordinator.activate(version, scale)),
      forWorkspace: (key) => service.coordinator.adapterFor(key),
    };
  };
  const close = async () => {
    await inference.app.close();
    await service.close();
  };
  beforeEach(async () => void (tiny = await openTinyEngine()));
  afterEach(async () => {
    await close();
    await tiny.close();
  });

  const ask = async (workspace: string): Promise<CompletionResponse> => {
    const answer = await inference.app.inject({
      method: 'POST',
      url: '/v1/completions',
      headers: { authorization: `Bearer ${TOKEN}`, host: '127.0.0.1' },
      payload: { prompt: LEFT, workspace },
    });
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json();
  };
  /** Text and version that each was answered with. */
  const answers = async (...workspaces: string[]) =>
    Promise.all(
      workspaces.map(async (workspace) => {
        const { choices, adapter_version } = await ask(workspace);
        return [choices[0]!.text, adapter_version] as const;
      }),
    );
  /** Something else was typed in a workspace, at places that are held out or learned from. */
  const type = async (workspaceKey: string, typed: string, count: number, heldOut = false) => {
    const events: OutcomeEvent[] = [];
    for (let index = 0; index < count; index++) {
      const record = service.completion({ workspaceKey, ...(heldOut ? place(index, true) : {}) });
      const event = outcomeEvent(record, { kind: 'rejected', how: 'typedAgainst' }, { workspaceKey });
      await service.submit(event);
      await service.submit(correctionEvent(record.id, typed));
      events.push(event);
    }
    return events;
  };
  const activeIn = (key: string) => service.store.adapters.active(tiny.engine.model.hash, key);
  const learn = async (workspace: Workspace) => {
    const before = activeIn(workspace);
    await type(workspace, IDIOMS[workspace], BATCH);
    await service.until((s) => activeIn(workspace) !== before && s.state === 'idle');
  };

  it('learns the idiom of each, serves each its own, and loses one with its data alone', async () => {
    const strong = {
      update: {
        epochs: 40,
        targetKl: 1e9,
        learningRate: 1e-2,
        decaySteps: 0,
        servedShare: 1,
        servedShares: [],
      },
      gate: { maxGeneralLossRise: 1e9, maxKl: 1e9, maxSilentRise: 1, tolerance: 1e9 },
    };
    await open(strong, learnerEntry());
    const [base] = await answers('red');
    await learn('red');
    await learn('blue');
    const [red, blue] = await answers('red', 'blue');
    assert.ok(IDIOMS.red.startsWith(red![0].trim()) && red![0] !== '', red![0]);
    assert.ok(IDIOMS.blue.startsWith(blue![0].trim()) && blue![0] !== '', blue![0]);
    assert.deepEqual([red![1], blue![1]], [1, 2]);
    assert.notEqual(red![0], blue![0]);
    const mixed = await answers('blue', 'red', 'green', 'blue', 'red', 'default');
    assert.deepEqual(mixed, [blue, red, base, blue, red, base]);

    const status = await service.status();
    const versions = Object.entries(status.adapters).map(([key, { version }]) => [key, version]);
    assert.deepEqual(Object.fromEntries(versions), { default: 0, red: 1, blue: 2 });
    assert.equal(status.lastRun!.workspaceKey, 'blue');
    for (const folder of ['red', 'blue'])
      for (const parent of [service.store.adapterDir, join(service.dataDir, 'runs')])
        assert.ok(existsSync(join(parent, folder)), `${parent}/${folder}`);

    await close();
    await open(strong, learnerEntry());
    assert.deepEqual(await answers('red', 'blue', 'green'), [red, blue, base]);

    const deleted = await service.call('DELETE', '/api/data?workspace=red');
    assert.deepEqual((deleted.body as unknown as { versions: number[] }).versions, [1]);
    assert.deepEqual(await answers('red', 'blue'), [base, blue]);
    assert.equal(existsSync(join(service.store.adapterDir, 'red')), false);
    assert.equal(existsSync(join(service.dataDir, 'runs', 'red')), false);
    assert.deepEqual(
      service.store.runs.list().map((run) => run.workspaceKey),
      ['blue'],
    );
    await service.call('POST', '/api/adapters/rollback?workspace=blue');
    assert.deepEqual(await answers('blue'), [base]);
  });

  it('is made of one workspace’s events, from the shared one, and judged by its own', async () => {
    await open();
    await service.accept(BATCH);
    await service.until((s) => s.adapterVersion === 1 && s.state === 'idle');
    await type('red', 'x', 2, true);
    await type('blue', 'x', 3, true);
    const blue = await type('blue', 'x', BATCH - 1);
    const red = await type('red', 'x', BATCH);
    await service.until((s) => activeIn('red') === 2 && s.state === 'waiting');
    const { request, eventIds } = service.log().at(-1)!;
    assert.deepEqual(
      eventIds,
      red.map((event) => event.id),
    );
    assert.deepEqual([request.parent.version, request.heldOut.length], [1, 2]);
    assert.match(service.store.adapters.get(2)!.file, /^red\/global_step_2\//);
    assert.equal(activeIn('blue'), 1, 'the shared one');

    const step = (await service.call('POST', '/api/training/step')).body as unknown as {
      run: { events: number; workspaceKey: string };
    };
    assert.deepEqual([step.run.events, step.run.workspaceKey], [blue.length, 'blue']);
    assert.deepEqual([activeIn('default'), activeIn('red'), activeIn('blue')], [1, 2, 3]);
  });

  it('is chosen by hand for its workspace only', async () => {
    await open();
    await learn('red');
    await learn('blue');
    const refused = await service.call('POST', '/api/adapters/1/activate?workspace=blue');
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'adapter_other_workspace']);
    const nothing = await service.call('POST', '/api/adapters/rollback?workspace=green');
    assert.deepEqual([nothing.status, nothing.body.error.code], [409, 'nothing_to_roll_back']);
    await service.call('POST', '/api/adapters/rollback?workspace=red');
    assert.deepEqual([activeIn('default'), activeIn('red'), activeIn('blue')], [0, 0, 2]);
    await service.call('POST', '/api/adapters/1/activate');
    assert.deepEqual([activeIn('default'), activeIn('red')], [0, 1]);
    const editor = new CompanionClient(
      { inference: service.url, feedback: service.url },
      { inference: 'none', feedback: 'feedback-token' },
    );
    const seenFrom = async (key: string) => {
      const { active, adapters } = await editor.adapters(key);
      return [active, ...adapters.map((one) => [one.version, one.active])];
    };
    assert.deepEqual(await seenFrom('red'), [1, [0, false], [1, true]]);
    assert.deepEqual(await seenFrom('green'), [0, [0, true]]);
    assert.equal((await editor.status('blue')).adapterVersion, 2);
    assert.equal((await editor.rollBack('blue')).active, 0);
    assert.equal((await editor.activate(2, 'blue')).active, 2);
    await editor.close();
    const list = (await service.call('GET', '/api/adapters')).body as unknown as {
      active: number;
      adapters: { version: number; workspaceKey: string; active: boolean }[];
    };
    assert.equal(list.active, 0);
    assert.deepEqual(
      list.adapters.map((one) => [one.version, one.workspaceKey, one.active]),
      [
        [0, 'default', true],
        [1, 'red', true],
        [2, 'blue', true],
      ],
    );
  });

  it('that can’t be loaded is rolled back, which the status tells, and the shared one answers', async () => {
    await open();
    await learn('red');
    const { file } = service.store.adapters.get(1)!;
    await close();
    await tiny.engine.forget();
    await open();
    writeFileSync(join(service.store.adapterDir, file), 'not an adapter');
    assert.equal((await ask('red')).adapter_version, 0);
    assert.equal(activeIn('red'), 0);
    assert.match((await service.status()).error!, /Adapter 1 could not be loaded, version 0 serves instead/);
  });

  it('is watched by what became of its own suggestions, and taken back alone', async () => {
    await open({ batchEvents: 60 });
    const serve = async (workspaceKey: string, adapterVersion: number, count: number, taken: boolean) => {
      const events = Array.from({ length: count }, (_, turn) =>
        outcomeEvent(
          service.completion({ workspaceKey, adapterVersion }),
          taken && turn % 2 === 0 ? { kind: 'accepted' } : { kind: 'rejected', how: 'typedAgainst' },
          { workspaceKey },
        ),
      );
      await service.submit({ v: 1, events });
    };
    const train = () => service.call('POST', '/api/training/step');
    await serve('red', 0, 64, true);
    await train();
    await serve('blue', 0, 64, true);
    await train();
    assert.deepEqual([activeIn('red'), activeIn('blue')], [1, 2]);
    await serve('blue', 2, 50, true);
    await serve('red', 1, 50, false);
    const status = await service.until((s) => s.rolledBack !== undefined);
    const { version, target, workspaceKey } = status.rolledBack!;
    assert.deepEqual([version, target, workspaceKey], [1, 0, 'red']);
    assert.deepEqual([activeIn('red'), activeIn('blue')], [0, 2]);
    assert.equal(service.store.adapters.get(2)!.figures['served/requests'], 50);
    const log = readFileSync(join(service.dataDir, 'runs', 'red', 'train.log'), 'utf8');
    assert.match(log, /Version 1 was taken out of service, version 0 serves again\./);
  });

  it('that was cut short is made again of the same events, whatever came first meanwhile', async () => {
    await open();
    service.script({ milliseconds: 3_000 });
    const red = await type('red', 'x', BATCH);
    await service.until((s) => s.state === 'training' && service.log().length === 1);
    await close();
    await open();
    await type('blue', 'x', BATCH);
    await service.until(() => activeIn('red') === 1 && activeIn('blue') === 2);
    assert.deepEqual(
      service.log()[1]!.eventIds,
      red.map((event) => event.id),
    );
    assert.ok(existsSync(join(service.store.adapterDir, 'red', 'global_step_1', 'checkpoint.json')));
  });

  it('rests while all share one again', async () => {
    await open();
    await learn('red');
    await close();
    await open({ adapters: 'shared' });
    assert.equal((await ask('red')).adapter_version, 0);
    assert.deepEqual(Object.keys((await service.status()).adapters), ['default']);
    const refused = await service.call('POST', '/api/adapters/1/activate');
    assert.equal(refused.body.error.code, 'adapter_other_workspace');
    await type('red', 'x', 2);
    await type('blue', 'x', 2);
    await service.until((s) => s.adapterVersion === 2);
    assert.equal(service.log().at(-1)!.request.parent.version, 0);
  });
});
