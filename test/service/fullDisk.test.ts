import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CompanionProcess } from '../fixtures/companionProcess.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

const ASKED = { prompt: 'const a = ', suffix: ';\n', max_tokens: 4, temperature: 0 };
const FEEDBACK = { prompt: 'const a = ', completion: '1', accepted: true };

describe('hone serve when nothing can be written any more', () => {
  const folder = temporaryFolder();
  const model = join(folder, 'tiny.gguf');
  const args = ['--model', model, '--gpu', 'cpu', '--threads', '1', '--log-level', 'silent'];
  let companion: CompanionProcess;
  before(() => void writeTinyModel(model));
  afterEach(() => companion.kill());
  after(() => rmSync(folder, { recursive: true }));

  for (const [how, signal] of [
    ['was ended', 'SIGTERM'],
    ['was killed', 'SIGKILL'],
  ] as const) {
    it(`serves after the companion ${how}, acknowledges nothing, and says so`, async () => {
      const withData = [...args, '--data-dir', join(folder, signal)];
      companion = await CompanionProcess.start(withData);
      const { text } = await companion.complete(ASKED);
      assert.equal((await companion.post('/api/training/submit', FEEDBACK)).status, 200);
      await companion.kill(signal);

      companion = await CompanionProcess.start(withData, 1);
      assert.equal((await companion.complete(ASKED)).text, text);
      const status = await companion.status();
      assert.equal(status.state, 'error');
      assert.match(status.error!, /disk/);
      assert.equal(status.stored, 1, 'what is there is read');
      const refused = await companion.post('/api/training/submit', FEEDBACK);
      assert.ok(refused.status >= 500, `${refused.status}`);
      await companion.kill();

      companion = await CompanionProcess.start(withData);
      await companion.complete(ASKED);
      assert.equal((await companion.post('/api/training/submit', FEEDBACK)).status, 200);
      const { stored, state } = await companion.status();
      assert.deepEqual([stored, state], [2, 'waiting']);
    });
  }
});
