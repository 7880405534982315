import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually, HoneWorkbench } from './harness/hone.ts';
import type { Workbench } from './harness/workbench.ts';

/** Stands in the document and nowhere else. */
const SECRET = 'quetzalcoatl4711';
const FILE = `export function ${SECRET}(value) {\n  return value;\n}\n`;
/** Long enough for everything that would be written: the outbox, the companion's store, the logs. */
const SETTLE_MS = 5000;
const SUGGESTION_LIMIT_MS = 15_000;

describe('privacy', function () {
  this.timeout(180_000);
  let hone: HoneWorkbench | undefined;

  afterEach(async () => {
    await hone?.stop();
    hone = undefined;
  });

  it('writes rows with tracking on, or the tests below could not fail', async () => {
    hone = await HoneWorkbench.start({ 'src/plain.js': FILE });
    await typeAndAccept(hone, /Hone: ready/);
    assert.ok(hone.rowCount() > 0);
    assert.ok(filesWith(hone.dataDir, SECRET).length > 0);
  });

  it('writes nothing of a document with tracking off', async () => {
    hone = await HoneWorkbench.start(
      { 'src/plain.js': FILE },
      { settings: { 'hone.tracking.enabled': false } },
    );
    await typeAndAccept(hone, /Hone: tracking off/);
    assertNothingWritten(hone);
  });

  it('writes nothing before it was allowed to, rows after that, and deletes what it is told to', async () => {
    hone = await HoneWorkbench.start(
      { 'src/plain.js': FILE },
      { settings: { 'hone.tracking.enabled': undefined } },
    );
    const window = await typeAndAccept(hone, /Hone: may it learn\?/);
    assertNothingWritten(hone);
    // The question of the start may have gone to the notifications' list by now.
    await window.runCommand('Hone: Toggle Tracking');
    await window.press('Escape');
    await window.page.getByRole('button', { name: 'Learn From My Edits' }).first().click();
    await window.waitForStatus(/Hone: ready/);
    // What is suggested names it, too: the extension's store keeps what was shown.
    await accept(window, `\n  const a = ${SECRET}(1);\n  const b = `, (shown) => shown.includes(SECRET));
    const { dataDir } = hone;
    await eventually(
      () => filesWith(dataDir, SECRET),
      (files) => files.length >= 2,
      'rows of both stores',
    );

    await window.runCommand('Hone: Export My Data…');
    await window.takeFolder('Folder to put the export in');
    const { workspace } = hone;
    const manifests = () => namesIn(workspace).filter((name) => /hone-export-.*manifest\.json$/.test(name));
    const [manifest] = await eventually(
      manifests,
      (found) => found.length === 1,
      'the manifest of the export',
    );
    assert.equal(filesWith(join(workspace, dirname(manifest!)), SECRET).length, 2);

    await window.runCommand('Hone: Delete My Data…');
    await window.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Everything' }).click();
    await eventually(
      () => filesWith(dataDir, SECRET),
      (files) => files.length === 0,
      'deletion',
    );
    assert.equal(hone.rowCount(), 0);
  });

  it('writes nothing of a document in a workspace that is not trusted', async () => {
    hone = await HoneWorkbench.start({ 'src/plain.js': FILE }, { untrusted: true });
    await typeAndAccept(hone, /Hone: tracking off/);
    assertNothingWritten(hone);
  });
});

async function typeAndAccept(hone: HoneWorkbench, status: RegExp): Promise<Workbench> {
  const window = await hone.open('src/plain.js', status);
  await accept(window, `\n  const name = ${SECRET}(`);
  await window.type('\n  if (value ');
  await window.waitForGhostText(undefined, SUGGESTION_LIMIT_MS);
  await window.press('Escape');
  await window.goToEndOfLine(1);
  await window.page.waitForTimeout(SETTLE_MS);
  return window;
}

async function accept(window: Workbench, text: string, shown?: (text: string) => boolean): Promise<void> {
  await window.focusEditor();
  await window.goToEndOfLine(1);
  await window.type(text);
  await window.waitForGhostText(shown, SUGGESTION_LIMIT_MS);
  await window.press('Tab');
}

function assertNothingWritten(hone: HoneWorkbench): void {
  assert.equal(hone.rowCount(), 0);
  assert.deepEqual(filesWith(hone.dataDir, SECRET), []);
  // What the extension logs goes to the editor's own folder.
  const logs = filesWith(join(hone.folder, 'server', 'user-data', 'logs'), SECRET);
  assert.deepEqual(
    logs.filter((path) => /hone/i.test(path)),
    [],
  );
}

/** Files below a folder in whose bytes the text occurs. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String);
}
