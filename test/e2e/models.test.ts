import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CATALOGUE } from '../../extension/common/models/catalogue.ts';
import { FileServer } from '../fixtures/fileServer.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';
import { until } from '../fixtures/until.ts';
import { HoneWorkbench } from './harness/hone.ts';
import type { Workbench } from './harness/workbench.ts';

const SUGGESTION_LIMIT_MS = 15_000;
/** Whose size the catalogue doesn't know to the byte, so that a server's word is taken until the end. */
const LOOSE = CATALOGUE.find(({ bytesExact }) => !bytesExact)!;
const content = Buffer.alloc(4_000_000, 'GGUF, which is not the model');

describe('models in the editor', function () {
  this.timeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), 'hone-e2e-models-'));
  const broken = join(folder, 'broken.gguf');
  const tiny = join(folder, 'tiny.gguf');
  const mirror = new FileServer(content);
  let hone: HoneWorkbench;
  let window: Workbench;

  before(async () => {
    writeFileSync(broken, 'GGUF, but broken off');
    writeTinyModel(tiny, { fim: false });
    await mirror.start();
    hone = await HoneWorkbench.start(
      { 'a.js': 'export function sum(items) {\n  let total = 0;\n}\n' },
      { settings: { 'hone.companion.modelPath': broken, 'hone.models.mirror': mirror.origin } },
    );
    window = await hone.open('a.js', /Hone: embedded model/);
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window?.keepPicture(this.currentTest.fullTitle());
  });

  after(async () => {
    await hone?.stop();
    await mirror.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const health = async () => {
    const response = await fetch(`http://127.0.0.1:${hone.companion().inferencePort}/health`);
    return (await response.json()) as { model: string; fellBack?: string };
  };
  const part = () => join(hone.dataDir, 'models', `${LOOSE.id}.gguf.part`);

  it('say that a chosen one could not be loaded, and complete with the embedded one', async () => {
    await window.waitForMessage(
      /broken\.gguf could not be loaded: the file is damaged.*embedded model serves/,
    );
    assert.equal((await health()).fellBack, 'model_corrupt');
    await window.focusEditor();
    await window.goToEndOfLine(2);
    await window.type('\nreturn ');
    await window.waitForGhostText(undefined, SUGGESTION_LIMIT_MS);
    await window.press('Escape');
  });

  it('Select Model… lists the catalogue with sizes and licences, and goes back to the embedded one', async () => {
    await window.runCommand('Hone: Select Model…');
    await window.waitForRow(/Qwen2\.5-Coder 3B Q8_0.*3\.3 GB.*for research only, not for commercial work/s);
    await window.waitForRow(/Qwen2\.5-Coder 0\.5B Q8_0.*531 MB.*Apache-2\.0/s);
    await window.waitForRow(/Model file….*in use: .*broken\.gguf/s);
    await window.choose(/Embedded model/);
    await window.waitForStatus(/Hone: ready/);
    assert.equal((await health()).fellBack, undefined);
  });

  it('Download Model… refuses another file, and keeps what has arrived of a download that is cancelled', async () => {
    await window.runCommand('Hone: Download Model…');
    await window.choose(/Qwen2\.5-Coder 0\.5B Q8_0/);
    await window.waitForMessage(
      /another file than Hone was made for: 4000000 bytes in the place of 531068128/,
    );
    mirror.behaviour = { bytesPerTick: 4000 };
    await window.runCommand('Hone: Download Model…');
    await window.choose(/Qwen2\.5-Coder 1\.5B Q4_K_M/);
    await window.waitForMessage(/Downloading Qwen2\.5-Coder 1\.5B Q4_K_M.* of 4 MB/s);
    // By its text: the toast of the download before it may still be there.
    await window.page
      .locator('.notification-list-item')
      .filter({ hasText: 'Downloading Qwen2.5-Coder 1.5B' })
      .getByRole('button', { name: 'Cancel' })
      .click();
    await until(() => existsSync(part()), 'the part to stay');
    const kept = readFileSync(part()).length;
    assert.ok(kept > 0 && kept < content.length);
    mirror.behaviour = {};
    await window.runCommand('Hone: Download Model…');
    await window.waitForRow(/1\.5B Q4_K_M.*downloaded so far/s);
    await window.choose(/Qwen2\.5-Coder 1\.5B Q4_K_M/);
    await window.waitForMessage(/damaged or another file: its SHA-256 is/);
    assert.match(mirror.requests.at(-1)!.range!, /^bytes=[1-9]/);
    assert.equal(existsSync(part()), false);
  });

  it('Select Model… takes a file, and says before what it cannot do', async () => {
    await window.runCommand('Hone: Select Model…');
    await window.choose(/Model file…/);
    await window.takeFile('Hone: Model File', tiny);
    await window.waitForText('.monaco-dialog-box', /no fill-in-the-middle markers/);
    await window.page.getByRole('button', { name: 'Use It All the Same' }).click();
    await window.waitForStatus(/Hone: starting/);
    await window.waitForStatus(/Hone: ready/);
    assert.equal((await health()).model, 'tiny');
  });
});
