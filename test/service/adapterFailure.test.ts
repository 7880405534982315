import assert from 'node:assert/strict';
import type { Engine } from '../../trainer/inference/types.ts';
import { openLearningService, type LearningService } from '../fixtures/learningService.ts';
import { openTinyEngine, type TinyEngine } from '../fixtures/tinyEngine.ts';

const BATCH = 4;

/** The engine itself, but that it can't load the versions of `broken`; `onUse` is called before each is loaded. */
function failing(engine: Engine, broken: Set<number>, onUse: (version: number) => void): Engine {
  return new Proxy(engine, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'useAdapter') return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      return async (adapter: Parameters<Engine['useAdapter']>[0]) => {
        onUse(adapter.version);
        if (broken.has(adapter.version)) throw new Error(`Version ${adapter.version} can't be loaded.`);
        await target.useAdapter(adapter);
      };
    },
  });
}

describe('an adapter that the engine cannot load', () => {
  const broken = new Set<number>();
  let onUse: (version: number) => void = () => {};
  let tiny: TinyEngine;
  let service: LearningService;

  beforeEach(async () => {
    broken.clear();
    onUse = () => {};
    tiny = await openTinyEngine();
    const engine = failing(tiny.engine, broken, (version) => onUse(version));
    service = await openLearningService({}, { tiny: { ...tiny, engine } });
    await service.accept(BATCH);
    await service.until((s) => s.adapterVersion === 1 && s.state === 'idle');
    await service.accept(BATCH);
    await service.until((s) => s.adapterVersion === 2 && s.state === 'idle');
  });
  afterEach(async () => {
    await service.close();
    await tiny.close();
  });

  const agree = async (version: number) => {
    assert.equal(tiny.engine.adapter.version, version);
    assert.equal((await service.status()).adapterVersion, version);
  };

  it('is not rolled back to: the version of before stays, and nothing is marked', async () => {
    broken.add(1);
    const { status } = await service.call('POST', '/api/adapters/rollback');
    assert.equal(status, 500);
    await agree(2);
    assert.equal(service.store.adapters.get(2)!.status, 'provisional');
    broken.clear();
    assert.equal((await service.call('POST', '/api/adapters/rollback')).status, 200);
    await agree(1);
    assert.equal(service.store.adapters.get(2)!.status, 'rolledBack');
  });

  it('is not activated by hand', async () => {
    broken.add(1);
    assert.equal((await service.call('POST', '/api/adapters/1/activate')).status, 500);
    await agree(2);
  });

  it('does not come into service as the new one, and the next is made from what serves', async () => {
    broken.add(3);
    await service.accept(BATCH);
    await service.until((s) => s.state === 'error');
    await agree(2);
    assert.equal(service.store.adapters.get(3)!.status, 'rolledBack');
    await service.accept(BATCH);
    await service.until((s) => s.adapterVersion === 4 && s.state === 'idle');
    await agree(4);
    assert.equal(service.store.adapters.get(4)!.parent, 2);
  });

  it('does not take back a version that was rolled back once and serves again by hand', async () => {
    await service.call('POST', '/api/adapters/rollback');
    await service.call('POST', '/api/adapters/2/activate');
    broken.add(3);
    await service.accept(BATCH);
    await service.until((s) => s.state === 'error');
    await agree(2);
  });

  it('does not take back what was chosen by hand while it was tried', async () => {
    broken.add(3);
    let chosen: Promise<unknown> | undefined;
    onUse = (version) => {
      if (version === 3) chosen = service.coordinator.activate(1);
    };
    await service.accept(BATCH);
    await service.until((s) => s.state === 'error');
    await chosen;
    await agree(1);
    assert.equal(service.store.adapters.get(1)!.status, 'provisional');
  });
});
