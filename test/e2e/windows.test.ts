import assert from 'node:assert/strict';
import { eventually, HoneWorkbench } from './harness/hone.ts';
import type { Workbench } from './harness/workbench.ts';

const RECOVERY_LIMIT_MS = 20_000;
const SUGGESTION_LIMIT_MS = 15_000;
const FILE = 'export function half(value) {\n  return value / 2;\n}\n';

describe('two windows', function () {
  this.timeout(180_000);
  let hone: HoneWorkbench;
  let first: Workbench;
  let second: Workbench;

  beforeEach(async () => {
    hone = await HoneWorkbench.start({ 'src/first.js': FILE, 'src/second.js': FILE });
    first = await hone.open('src/first.js');
    second = await hone.open('src/second.js');
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      await second?.keepPicture(this.currentTest.fullTitle()).catch(() => undefined);
    }
    await hone?.stop();
  });

  it('share one companion, survive its end, and the first may be closed first', async () => {
    const { pid } = hone.companion();
    await suggests(first);
    await suggests(second);
    assert.equal(hone.companion().pid, pid);

    process.kill(pid, 'SIGKILL');
    const next = await eventually(
      () => livingCompanion(),
      (now) => now !== undefined && now !== pid,
      'a new companion',
      RECOVERY_LIMIT_MS,
    );
    await suggests(first);
    await suggests(second);
    assert.equal(livingCompanion(), next);

    await first.close();
    await suggests(second);
    assert.equal(livingCompanion(), next);
  });

  it('share one companion, and the second may be closed first', async () => {
    const { pid } = hone.companion();
    await second.close();
    await suggests(first);
    assert.equal(livingCompanion(), pid);
  });

  /** Types the start of a line, waits until the window offers how it goes on, and takes the line out again. */
  async function suggests(window: Workbench): Promise<void> {
    await window.page.bringToFront();
    await window.waitForStatus(/Hone: ready/);
    await window.focusEditor();
    await window.goToEndOfLine(1);
    await window.type('\n  if (value');
    await window.waitForGhostText(undefined, SUGGESTION_LIMIT_MS);
    await window.press('Escape');
    await window.press('Control+Shift+K');
  }

  function livingCompanion(): number | undefined {
    try {
      const { pid, inferencePort } = hone.companion();
      process.kill(pid, 0);
      return inferencePort === null ? undefined : pid;
    } catch {
      return undefined;
    }
  }
});
