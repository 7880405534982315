import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { packFixture } from './harness/fixtureVsix.ts';
import { startServer, type WorkbenchServer } from './harness/server.ts';
import { openBrowser, Workbench } from './harness/workbench.ts';

describe('the harness', function () {
  this.timeout(300_000);
  const folder = mkdtempSync(join(tmpdir(), 'hone-harness-'));
  const workspace = join(folder, 'workspace');
  let server: WorkbenchServer;
  let browser: BrowserContext;
  let window: Workbench;

  before(async () => {
    mkdirSync(workspace);
    writeFileSync(join(workspace, 'a.js'), '');
    const vsix = [await packFixture('echo'), await packFixture('proposed')];
    browser = await openBrowser(join(folder, 'browser'));
    server = await startServer({ folder: join(folder, 'server'), vsix });
    window = await Workbench.open(browser, server, workspace, 'a.js');
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window?.keepPicture(this.currentTest.fullTitle());
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  it('sees an installed extension become active', async () => {
    await window.waitForStatus(/echo: active/);
  });

  it('refuses proposed API as a stable editor does', async () => {
    await window.waitForStatus(
      /proposed: Extension 'hone-test\.proposed' CANNOT use API proposal: inlineCompletions/,
    );
  });

  it('types, sees ghost text and rejects it with Escape', async () => {
    await window.focusEditor();
    await window.type('greet');
    assert.equal(await window.waitForGhostText(), '("hello, world");');
    await window.press('Escape');
    await window.waitForNoGhostText();
  });

  it('accepts with Tab and saves the file', async () => {
    await window.press('End');
    await window.type('\ngreet');
    await window.waitForGhostText();
    await window.press('Tab');
    await window.waitForStatus(/echo: accepted/);
    await window.save();
    await waitForFile(join(workspace, 'a.js'), 'greet\ngreet("hello, world");');
  });

  it('runs a command of the palette and moves the caret to a line', async () => {
    await window.goToEndOfLine(1);
    await window.runCommand('Transform to Uppercase');
    await window.save();
    await waitForFile(join(workspace, 'a.js'), 'GREET\ngreet("hello, world");');
  });
});

async function waitForFile(path: string, text: string): Promise<void> {
  const end = Date.now() + 10_000;
  while (readFileSync(path, 'utf8') !== text && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.equal(readFileSync(path, 'utf8'), text);
}
