import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { learnerEntry } from '../../trainer/coordinator/learnerEntry.ts';
import type { OutcomeEvent } from '../../extension/common/contracts/index.ts';
import { adapterFiles, openLearningService, type LearningService } from '../fixtures/learningService.ts';
import { correctionEvent, outcomeEvent, place } from '../fixtures/records.ts';
import { openTinyEngine, type TinyEngine } from '../fixtures/tinyEngine.ts';

const BATCH = 4;
/** Long enough to be met in the middle; the limits are not what is tested. */
const SETTINGS = {
  update: { epochs: 120, targetKl: 1e9, learningRate: 1e-3, weightType: 'f32' },
  gate: { maxGeneralLossRise: 1e9, maxKl: 1e9, maxSilentRise: 1, tolerance: 1e9 },
};

describe('checkpoints', function () {
  this.timeout(120_000);
  let tiny: TinyEngine;
  let service: LearningService;
  const open = async (entry?: string) => {
    service = await openLearningService(SETTINGS, { tiny, ...(entry === undefined ? {} : { entry }) });
  };
  beforeEach(async () => {
    tiny = await openTinyEngine();
  });
  afterEach(async () => {
    await service.close();
    await tiny.close();
  });

  /** A place where something else was typed, held out or trained on. */
  const correct = async (index: number, heldOut: boolean) => {
    const record = service.completion(place(index, heldOut));
    await service.submit(outcomeEvent(record, { kind: 'rejected', how: 'typedAgainst' }));
    await service.submit(correctionEvent(record.id, `let a${index} = ${index};`));
  };
  /** Adapter and moments of version 1. */
  const bytes = () => {
    const path = join(service.store.adapterDir, service.store.adapters.get(1)!.file);
    return [path, `${path}.adamw`].map((file) => readFileSync(file).toString('base64'));
  };
  const fill = async () => {
    for (let index = 0; index < 3; index++) await correct(index, true);
    for (let index = 0; index < BATCH; index++) await correct(index, false);
  };

  it('let a killed update come to the same adapter, bit for bit, whatever came meanwhile', async () => {
    await open(learnerEntry());
    await fill();
    await service.until((s) => s.adapterVersion === 1);
    const expected = bytes();
    await service.close();
    await tiny.close();

    tiny = await openTinyEngine();
    await open(learnerEntry());
    await fill();
    await service.until((s) => s.progress?.phase === 'train' && s.progress.done > 8);
    process.kill(service.coordinator.learnerPid!, 'SIGKILL');
    await service.close();
    assert.equal(adapterFiles(service.store).length, 0);

    await open(learnerEntry());
    // Earlier and later events that a batch chosen anew would hold, and a place for the gate.
    for (let index = 10; index < 14; index++) await correct(index, false);
    await correct(10, true);
    await service.until((s) => s.adapterVersion === 1);
    const [run] = service.store.runs.list().filter((one) => one.version === 1);
    assert.equal(run!.figures['gate/held_out'], 3);
    assert.deepEqual(bytes(), expected);
  });

  it('say what a version was made from, and go with it', async () => {
    await open();
    const events: OutcomeEvent[] = await service.accept(BATCH);
    await service.until((s) => s.adapterVersion === 1 && s.state === 'idle');
    const { file } = service.store.adapters.get(1)!;
    assert.match(file, /^default\/global_step_1\/adapter-[^/]+\.gguf$/);
    const folder = dirname(join(service.store.adapterDir, file));
    const plan = JSON.parse(readFileSync(join(folder, 'checkpoint.json'), 'utf8')) as Record<string, unknown>;
    assert.deepEqual([plan.version, plan.parent, plan.scale, plan.seed], [1, 0, 1, 2]);
    assert.deepEqual(
      plan.eventIds,
      events.map((event) => event.id),
    );
    await service.call('POST', '/api/adapters/rollback');
    await service.call('POST', '/api/adapters/gc');
    assert.equal(existsSync(folder), false);
  });

  for (const [name, change] of [
    ['another configuration', (plan: Record<string, unknown>) => ({ ...plan, seed: 7 })],
    ['another parent', (plan: Record<string, unknown>) => ({ ...plan, parent: 3 })],
    ['another model', (plan: Record<string, unknown>) => ({ ...plan, modelHash: 'x' })],
    ['an event that is gone', (plan: Record<string, unknown>) => ({ ...plan, eventIds: ['x'] })],
    ['half of a file', () => '{"version":'],
  ] as const)
    it(`are not gone on with under ${name}`, async () => {
      await open();
      service.script({ milliseconds: 3_000 });
      const events = await service.accept(BATCH);
      await service.until((s) => s.state === 'training' && service.log().length === 1);
      await service.close();
      const path = join(service.store.adapterDir, 'default', 'global_step_1', 'checkpoint.json');
      const plan = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
      assert.deepEqual(
        plan.eventIds,
        events.map((event) => event.id),
      );
      const changed = change({ ...plan, eventIds: events.slice(0, 1).map((event) => event.id) });
      writeFileSync(path, typeof changed === 'string' ? changed : JSON.stringify(changed));
      await open();
      await service.until((s) => s.adapterVersion === 1);
      assert.equal(service.log()[1]!.eventIds.length, BATCH, 'a batch chosen anew');
    });
});
