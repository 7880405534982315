import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { HoneError } from '../../trainer/server/shared/errors.ts';
import { adapterFiles, openLearningService, type LearningService } from '../fixtures/learningService.ts';
import { outcomeEvent, place } from '../fixtures/records.ts';
import { openTinyEngine, type TinyEngine } from '../fixtures/tinyEngine.ts';

const BATCH = 4;

const noSpace = () => {
  throw new HoneError('storage_full', 'No space left.');
};

describe('coordinator on a full disk', () => {
  let tiny: TinyEngine;
  let service: LearningService;
  beforeEach(async () => {
    tiny = await openTinyEngine();
    service = await openLearningService({ maxAdapterLag: 0 }, { tiny });
  });
  afterEach(async () => {
    await service.close();
    await tiny.close();
  });

  it('has no room for the adapter: blames no event, leaves nothing behind, and goes on when there is room', async () => {
    service.script({ update: 'noRoom', milliseconds: 1 });
    const events = await service.accept(BATCH);
    const full = await service.until(() => service.log().length >= 3);
    assert.match(full.error!, /Is the disk full/);
    assert.equal(full.lastRun, null, 'nothing was decided');
    const refused = await service.call('POST', '/api/training/step');
    assert.equal(refused.status, 503);
    assert.equal(refused.body.error.code, 'storage_full');
    assert.deepEqual(adapterFiles(service.store), []);
    service.script();
    const status = await service.until((s) => s.adapterVersion === 1 && s.state === 'idle');
    assert.equal(status.error, undefined);
    assert.equal(status.trained, BATCH, 'in one update, whatever failed before');
    for (const event of events) assert.equal(service.store.runs.runsOf(event.id).length, 1);
  });

  it('answers for the status while what teaches nothing cannot be counted out, and counts it out later', async () => {
    const { facts } = service.store;
    const whole = { ...facts };
    facts.drop = noSpace;
    await service.submit(outcomeEvent({ id: uuidv7() }, { kind: 'accepted' }, place(0, false)));
    const full = await service.call('GET', '/api/training/status');
    assert.equal(full.status, 200);
    Object.assign(facts, whole);
    await service.until((s) => s.dropped.unknownCompletion === 1);
  });

  it('serves a version that was written down although its figures could not be', async () => {
    await service.accept(BATCH);
    await service.until((s) => s.adapterVersion === 1 && s.state === 'idle');
    service.store.count = noSpace;
    service.store.runs.addSeconds = noSpace;
    await service.accept(BATCH);
    const status = await service.until((s) => s.adapterVersion === 2 && s.state === 'idle');
    assert.equal(tiny.engine.adapter.version, 2);
    assert.equal(status.lastRun!.version, 2);
    assert.equal(status.error, undefined);
  });
});
