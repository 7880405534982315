import assert from 'node:assert/strict';
import type { PowerSource } from '../../trainer/power/powerSource.ts';
import { loadEngine } from '../../trainer/inference/engine.ts';
import { HoneError } from '../../trainer/server/shared/errors.ts';
import { openLearningService, type LearningService } from '../fixtures/learningService.ts';
import { quiet } from '../fixtures/tinyEngine.ts';

const BATCH = 4;

describe('the budget of learning', function () {
  this.timeout(30_000);
  let service: LearningService;
  let power: PowerSource;

  async function open(budget: { onBattery?: boolean; memoryShort?: string | null } = {}): Promise<void> {
    service = await openLearningService(
      { batchEvents: BATCH },
      {
        budget: {
          readPower: () => Promise.resolve(power),
          onBattery: false,
          memoryShort: null,
          powerIntervalMs: 20,
          ...budget,
        },
      },
    );
    service.script();
  }
  beforeEach(() => (power = 'battery'));
  afterEach(() => service.close());

  it('lets an update wait for mains power, and says so', async () => {
    await open();
    assert.equal((await service.status()).pausedBecause, undefined, 'there is nothing to learn yet');
    await service.accept(BATCH);
    const status = await service.until((s) => s.pausedBecause === 'battery');
    assert.equal(status.state, 'paused');
    power = 'mains';
    const after = await service.until((s) => s.adapterVersion === 1);
    assert.equal(after.pausedBecause, undefined);
  });

  it('lets an update under way rest, and go on', async () => {
    power = 'mains';
    await open();
    service.script({ milliseconds: 600 });
    await service.accept(BATCH);
    await service.until((s) => s.state === 'training');
    power = 'battery';
    const resting = await service.until((s) => s.pausedBecause === 'battery');
    assert.deepEqual([resting.state, resting.adapterVersion], ['paused', 0]);
    power = 'mains';
    await service.until((s) => s.adapterVersion === 1);
  });

  it('is no reason where it is allowed, not known, or training was asked for', async () => {
    await open({ onBattery: true });
    await service.accept(BATCH);
    await service.until((s) => s.adapterVersion === 1);
    await service.close();

    power = 'unknown';
    await open();
    await service.accept(BATCH);
    await service.until((s) => s.adapterVersion === 1);
    await service.close();

    power = 'battery';
    await open();
    await service.accept(BATCH);
    await service.until((s) => s.pausedBecause === 'battery');
    const { status, body } = await service.call('POST', '/api/training/step');
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await service.status()).adapterVersion, 1);
  });

  it('keeps the learner from memory that it may not take, also when it is asked for', async () => {
    power = 'mains';
    await open({ memoryShort: 'It would take 9 GB.' });
    await service.accept(BATCH);
    await service.until((s) => s.pausedBecause === 'memory');
    const { status, body } = await service.call('POST', '/api/training/step');
    assert.deepEqual(
      [status, body.error.code, body.error.message],
      [500, 'memory_limit', 'It would take 9 GB.'],
    );
  });

  it('refuses a model that is too large before it is loaded', async () => {
    await open();
    const { modelPath, engine } = service.tiny;
    assert.ok(engine.memory.serving > 0 && engine.memory.learning > 0);
    const options = { modelPath, gpu: 'cpu' as const, threads: 1, dataDir: null, logger: quiet };
    await assert.rejects(loadEngine({ ...options, memoryLimit: engine.memory.serving - 1 }), (error) => {
      assert.ok(error instanceof HoneError);
      assert.equal(error.code, 'memory_limit');
      assert.match(error.message, /would take about 3\d\d MB, more than .*hone\.companion\.memoryLimitMb/);
      return true;
    });
    await (await loadEngine({ ...options, memoryLimit: engine.memory.serving })).dispose();
  });
});
