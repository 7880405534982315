import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { trainingRunsSchema } from '../../extension/common/contracts/index.ts';
import { adapterFiles, openLearningService, type LearningService } from '../fixtures/learningService.ts';
import { openTinyEngine, type TinyEngine } from '../fixtures/tinyEngine.ts';

const BATCH = 4;

describe('versions by hand', () => {
  let tiny: TinyEngine;
  let service: LearningService;

  const open = async () => {
    service = await openLearningService({}, { tiny });
  };

  beforeEach(async () => {
    tiny = await openTinyEngine();
    await open();
    await service.accept(BATCH);
    await service.until((s) => s.adapterVersion === 1);
    await service.accept(BATCH);
    await service.until((s) => s.adapterVersion === 2 && s.state === 'idle');
  });

  afterEach(async () => {
    await service.close();
    await tiny.close();
  });

  it('lists, activates, rolls back', async () => {
    const list = await service.call('GET', '/api/adapters');
    const { adapters } = list.body as unknown as {
      adapters: { version: number; status: string; active: boolean }[];
    };
    assert.deepEqual(
      adapters.map((adapter) => [adapter.version, adapter.status, adapter.active]),
      [
        [0, 'base', false],
        [1, 'provisional', false],
        [2, 'provisional', true],
      ],
    );
    assert.equal((await service.call('POST', '/api/adapters/0/activate')).status, 200);
    assert.equal(tiny.engine.adapter.version, 0);
    await service.call('POST', '/api/adapters/2/activate', {});
    assert.equal(tiny.engine.adapter.version, 2);
    await service.call('POST', '/api/adapters/rollback');
    assert.equal(tiny.engine.adapter.version, 1);
    assert.equal((await service.status()).adapterVersion, 1);
    await service.call('POST', '/api/adapters/rollback');
    const { status, body } = await service.call('POST', '/api/adapters/rollback');
    assert.equal(status, 409);
    assert.equal(body.error.code, 'nothing_to_roll_back');
  });

  it('tells the updates, newest first, as many as are asked for', async () => {
    const runs = async (query: string) =>
      trainingRunsSchema.parse((await service.call('GET', `/api/training/runs${query}`)).body).runs;
    const all = await runs('');
    assert.deepEqual(
      all.map(({ version, parent }) => [version, parent]),
      [
        [2, 1],
        [1, 0],
      ],
    );
    const { at, parent, ...newest } = all[0]!;
    assert.ok(at > 0 && parent === 1);
    const { lastRun } = await service.status();
    assert.deepEqual([newest.id, newest.figures], [lastRun?.id, lastRun?.figures]);
    assert.deepEqual(
      (await runs('?limit=1')).map(({ version }) => version),
      [2],
    );
    for (const limit of ['0', '1000', 'all']) {
      const { status, body } = await service.call('GET', `/api/training/runs?limit=${limit}`);
      assert.deepEqual([status, body.error.param], [400, 'limit']);
    }
  });

  it('taken back while the successor is made: it is made anew, and nobody is blamed', async () => {
    service.script({ milliseconds: 400 });
    const events = await service.accept(BATCH);
    await service.until((s) => s.state === 'training');
    await service.call('POST', '/api/adapters/rollback');
    const troubled: string[] = [];
    const status = await service.until((s) => {
      if (s.error !== undefined) troubled.push(s.error);
      return s.adapterVersion > 2 && s.state === 'idle';
    });
    assert.deepEqual(troubled, []);
    assert.equal(status.lastRun!.events, BATCH);
    assert.equal(service.store.adapters.get(status.adapterVersion)!.parent, 1);
    const decisions = service.store.runs.list().map((run) => run.decision);
    assert.deepEqual(decisions.slice(2), ['failed', 'provisional']);
    for (const event of events) assert.equal(service.store.runs.runsOf(event.id).length, 1);
  });

  it('keeps the scale that was chosen by hand for what descends from the version', async () => {
    await service.coordinator.activate(2, 0.5);
    assert.equal(tiny.engine.adapter.scale, 0.5);
    await service.accept(BATCH);
    await service.until((s) => s.adapterVersion === 3 && s.state === 'idle');
    assert.equal(service.log().at(-1)!.request.parent.scale, 0.5);
    assert.deepEqual([tiny.engine.adapter.version, tiny.engine.adapter.scale], [3, 0.5]);
    assert.equal(service.store.adapters.get(3)!.scale, 0.5);
    await service.coordinator.activate(1);
    assert.equal(tiny.engine.adapter.scale, 1, 'what it does not descend from has its own');
  });

  it('served at another scale while its successor is made: it is made anew from there', async () => {
    service.script({ milliseconds: 400 });
    const events = await service.accept(BATCH);
    await service.until((s) => s.state === 'training');
    await service.coordinator.activate(2, 0.5);
    await service.until((s) => s.adapterVersion > 2 && s.state === 'idle');
    assert.equal(tiny.engine.adapter.scale, 0.5);
    const runs = service.store.runs.list().slice(2);
    assert.deepEqual(
      runs.map((run) => run.decision),
      ['failed', 'provisional'],
    );
    assert.match(runs[0]!.reason, /scale/);
    for (const event of events) assert.equal(service.store.runs.runsOf(event.id).length, 1);
  });

  it('answers 404, 409 and 400 to versions that cannot be served', async () => {
    const unknown = await service.call('POST', '/api/adapters/99/activate');
    assert.equal(unknown.status, 404);
    assert.match(unknown.body.error.message, /Versions that exist: 0, 1, 2/);
    for (const noVersion of ['latest', '', '-1', '0x0', '1e3']) {
      const { status, body } = await service.call('POST', `/api/adapters/${noVersion}/activate`);
      assert.equal(status, 400, `"${noVersion}"`);
      assert.equal(body.error.param, 'version');
    }
    const noUrl = await service.call('POST', '/api/adapters/%zz/activate');
    assert.deepEqual([noUrl.status, noUrl.body.error.code], [400, 'invalid_request']);

    service.store.adapters.registerModel({ hash: 'b'.repeat(64), name: 'another', path: 'b.gguf' });
    service.store.runs.commit(
      {
        id: 'foreign',
        modelHash: 'b'.repeat(64),
        workspaceKey: 'default',
        parent: 0,
        candidate: { version: 3, file: 'foreign.gguf', scale: 1 },
        eventIds: [],
        decision: 'promoted',
        reason: '',
        seconds: {},
        figures: {},
        scores: null,
        config: service.log()[0]!.request.config,
      },
      null,
    );
    const foreign = await service.call('POST', '/api/adapters/3/activate');
    assert.equal(foreign.status, 409);
    assert.match(foreign.body.error.message, /belongs to the model another/);
    assert.equal(tiny.engine.adapter.version, 2, 'what served goes on serving');
  });

  it('serves the version of before after a restart, and its parent when the file is damaged', async () => {
    await service.close();
    await tiny.engine.useAdapter({ version: 0, path: null, scale: 1 });
    await open();
    assert.equal(tiny.engine.adapter.version, 2);
    const { file } = service.store.adapters.get(2)!;
    const path = join(service.store.adapterDir, file);
    await service.close();
    await tiny.engine.useAdapter({ version: 0, path: null, scale: 1 });
    writeFileSync(path, 'not an adapter');
    await open();
    assert.equal(tiny.engine.adapter.version, 1);
    const status = await service.status();
    assert.equal(status.state, 'error');
    assert.match(status.error!, /Adapter 2 could not be loaded, version 1 serves instead/);
  });

  it('clears away files of updates that were cut short and of versions that were rolled back', async () => {
    const files = [1, 2].map((version) => service.store.adapters.get(version)!.file);
    await service.close();
    const beside = `${files[1]}.state`;
    for (const file of ['adapter-9-cut.gguf', 'adapter-9-cut.gguf.state', beside])
      writeFileSync(join(service.store.adapterDir, file), 'half');
    await open();
    assert.deepEqual(adapterFiles(service.store), [...files, beside].sort());
    await service.call('POST', '/api/adapters/rollback');
    const collected = await service.call('POST', '/api/adapters/gc');
    assert.deepEqual((collected.body as unknown as { versions: number[] }).versions, [2]);
    assert.deepEqual(adapterFiles(service.store), files.slice(0, 1));
  });
});
