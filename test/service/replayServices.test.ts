import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startServices } from '../../trainer/replay/services.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

const READY_TIMEOUT_MS = 5_000;

describe("the replay's services", () => {
  const folder = temporaryFolder();
  const modelPath = join(folder, 'tiny.gguf');

  before(() => void writeTinyModel(modelPath));
  after(() => rmSync(folder, { recursive: true }));

  it('are given up when they are not ready in time, with the end of their log', async () => {
    const dataDir = join(folder, 'hanging');
    mkdirSync(dataDir);
    // Whoever reads a pipe that nobody writes to waits for ever.
    execFileSync('mkfifo', [join(dataDir, 'model-hashes.json')]);
    const startedAt = performance.now();
    await assert.rejects(
      startServices({ dataDir, modelPath, gpu: 'cpu', threads: 1, readyTimeoutMs: READY_TIMEOUT_MS }),
      (error: Error) => {
        assert.match(error.message, /not ready after 5 s and were ended/);
        assert.match(error.message, /\n.*listen/i, 'the log');
        return true;
      },
    );
    assert.ok(performance.now() - startedAt < 4 * READY_TIMEOUT_MS);
  });

  it('tell why they did not come up', async () => {
    const options = { dataDir: join(folder, 'none'), modelPath: join(folder, 'no.gguf'), gpu: 'cpu' };
    await assert.rejects(startServices(options), /ended with code 1 before they were ready[^]*no model file/);
  });
});
