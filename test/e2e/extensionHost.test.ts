import { join } from 'node:path';
import { TOTALS } from '../electron/totals.ts';
import { runInExtensionHost, TEST_DRIVER_OPTION } from './harness/extensionHost.ts';
import { HoneWorkbench } from './harness/hone.ts';
import { ROOT } from './harness/paths.ts';

const SUITE_LIMIT_MS = 120_000;

describe('in the extension host', function () {
  this.timeout(SUITE_LIMIT_MS + 60_000);
  let hone: HoneWorkbench;

  before(async () => {
    hone = await HoneWorkbench.start({ 'totals.js': TOTALS }, { vscodeOptions: [TEST_DRIVER_OPTION] });
  });

  after(async () => {
    await hone?.stop();
  });

  it('passes the suite that a real VS Code runs too', async () => {
    const runner = join(ROOT, 'test', 'electron', 'runner');
    await runInExtensionHost(hone.browser, hone.server, {
      workspace: hone.workspace,
      runner,
      suite: join(runner, 'suite.cjs'),
      limitMs: SUITE_LIMIT_MS,
    });
  });
});
