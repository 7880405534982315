import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoneWorkbench } from './harness/hone.ts';

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

  it('writes nothing of a document in a workspace that is not trusted', async () => {
    hone = await HoneWorkbench.start({ 'src/plain.js': FILE }, { untrusted: true });
    await typeAndAccept(hone, /Hone: tracking off/);
    assertNothingWritten(hone);
  });
});

async function typeAndAccept(hone: HoneWorkbench, status: RegExp): Promise<void> {
  const window = await hone.open('src/plain.js', status);
  await window.focusEditor();
  await window.goToEndOfLine(1);
  await window.type(`\n  const name = ${SECRET}(`);
  await window.waitForGhostText(undefined, SUGGESTION_LIMIT_MS);
  await window.press('Tab');
  await window.type('\n  if (value ');
  await window.waitForGhostText(undefined, SUGGESTION_LIMIT_MS);
  await window.press('Escape');
  await window.goToEndOfLine(1);
  await window.page.waitForTimeout(SETTLE_MS);
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
