import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as newId } from 'uuid';
import { readSettings, type Settings } from '../../extension/common/contributions.ts';
import { Backend } from '../../extension/node/backend.ts';
import { isAlive } from '../../extension/node/companionLock.ts';
import { pathsIn } from '../../extension/node/paths.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MAIN = join(ROOT, 'trainer', 'main.ts');
const PATIENCE_MS = 60_000;

describe('a chosen model that cannot be loaded', function () {
  this.timeout(2 * PATIENCE_MS);
  let folder: string;
  let backend: Backend;
  let settings: Settings;
  let log: string[];
  const pids = new Set<number>();

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hone-fallback-'))));
  afterEach(async () => {
    await backend.close();
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(modelPath: string, change: Partial<Settings> = {}, script = MAIN): Promise<void> {
    settings = { ...readSettings(() => undefined).settings, gpu: 'cpu', threads: 1, modelPath, ...change };
    log = [];
    backend = await Backend.open({
      paths: {
        ...pathsIn(folder, '', { HONE_COMPANION: script }),
        storeWorker: join(ROOT, 'extension', 'node', 'storeWorker.ts'),
      },
      window: newId(),
      settings: () => settings,
      log: (level, message) => log.push(`${level}: ${message}`),
      onChange: () => undefined,
    });
    backend.connection.onState((state) => {
      if (state.kind === 'ready') pids.add(state.pid!);
    });
    backend.start();
  }

  async function until(reached: () => boolean): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!reached()) {
      if (Date.now() > end) assert.fail(`It never came to that:\n${log.join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  it('leaves the embedded one to serve, and is served once it can be', async () => {
    const model = join(folder, 'chosen.gguf');
    writeFileSync(model, 'GGUF, but broken off');
    await open(model);
    await until(() => backend.health !== null);
    assert.equal(backend.health!.fellBack, 'model_corrupt');
    assert.match(backend.model!, /Hone 135M/i);
    assert.ok(
      log.some((line) => line.startsWith('error: The companion ended') && line.includes(model)),
      log.join('\n'),
    );
    assert.ok(
      log.some((line) => line.startsWith(`warn: The model ${model} could not be loaded`)),
      log.join('\n'),
    );

    writeTinyModel(model);
    await backend.restartCompanion();
    await until(() => backend.model === 'tiny');
    assert.equal(backend.health!.fellBack, undefined);
    assert.deepEqual([backend.health!.device, backend.health!.gpuMemoryBytes], ['cpu', undefined]);
  });

  it('does so when llama.cpp brings the companion down', async () => {
    const model = join(folder, 'chosen.gguf');
    writeTinyModel(model);
    await open(model, {}, join(ROOT, 'test', 'fixtures', 'crashingCompanion.ts'));
    await until(() => backend.health !== null);
    assert.equal(backend.health!.fellBack, 'crashed');
  });

  it('is not blamed for what is not its own fault', async () => {
    const model = join(folder, 'chosen.gguf');
    writeTinyModel(model, { fim: false });
    await open(model, { fimTemplate: 'qwen' });
    await until(() => backend.connection.state.kind === 'error');
    const { state } = backend.connection;
    assert.match(state.kind === 'error' ? state.message : '', /fim_template_unfit/);
    assert.ok(!log.some((line) => line.includes('embedded model serves')));
  });
});
