import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoneWorkbench } from './harness/hone.ts';
import type { Workbench } from './harness/workbench.ts';

const SUGGESTION_LIMIT_MS = 15_000;
/** Longer than a pause in typing and a completion take. */
const NOTHING_COMES_MS = 2500;

describe('the commands in the editor', function () {
  this.timeout(150_000);
  let hone: HoneWorkbench;
  let window: Workbench;

  before(async () => {
    hone = await HoneWorkbench.start({
      'src/sum.js': 'export function sum(items) {\n  let total = 0;\n  for (const item of items) {\n  }\n}\n',
    });
    window = await hone.open('src/sum.js');
    await window.focusEditor();
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window?.keepPicture(this.currentTest.fullTitle());
  });

  after(async () => {
    await hone?.stop();
  });

  it('Show Menu: a click on the status bar and Enter switch tracking off, and on again', async () => {
    await window.clickStatus(/Hone:/);
    assert.match((await window.quickPickRows())[0]!, /^Turn tracking off/);
    await window.press('Enter');
    await window.waitForStatus(/Hone: tracking off/);
    await window.runCommand('Hone: Show Menu');
    await window.waitForRow(/^Turn tracking on/);
    await window.press('Enter');
    await window.waitForStatus(/Hone: ready/);
  });

  it('says to a screen reader what the status bar says, and more', async () => {
    const label = await window.statusLabel(/Hone:/);
    assert.match(label, /Hone: ready\b.*Model: .*Adapter version: 0.*Tracking is on\. Click for the menu\./s);
  });

  it('Snooze: nothing is asked and recorded, and the status counts down; End Snooze', async () => {
    await window.runCommand('Hone: Snooze…');
    await window.choose(/^5 minutes/);
    await window.waitForStatus(/Hone: snoozed, 5 min left/);
    const rows = hone.rowCount();
    await window.focusEditor();
    await window.goToEndOfLine(3);
    await window.type('\ntotal ');
    assert.equal(await window.ghostTextWithin(NOTHING_COMES_MS), '');
    assert.equal(hone.rowCount(), rows);
    await window.runCommand('Hone: End Snooze');
    await window.waitForStatus(/Hone: ready/);
  });

  it('Trigger Suggestion', async () => {
    await window.runCommand('Hone: Trigger Suggestion');
    await window.waitForGhostText(undefined, SUGGESTION_LIMIT_MS);
    await window.press('Escape');
    await window.waitForNoGhostText();
  });

  it('Accept Word: takes a part with the key that the editor itself has for it', async () => {
    await window.type('+');
    const whole = await window.waitForGhostText(undefined, SUGGESTION_LIMIT_MS);
    await window.press('Control+ArrowRight');
    await window.waitForGhostText((text) => text.length < whole.length);
    await window.press('Escape');
  });

  it('Toggle for This Language', async () => {
    await window.runCommand('Hone: Toggle Completions for This Language');
    await window.waitForStatus(/Hone: off in this language/);
    await window.runCommand('Hone: Trigger Suggestion');
    await window.waitForMessage(/switched off/);
    await window.runCommand('Hone: Toggle Completions for This Language');
    await window.waitForStatus(/Hone: ready/);
  });

  it('Toggle for This Workspace writes its own setting and takes it away again', async () => {
    const settings = join(hone.workspace, '.vscode', 'settings.json');
    const written = () => (existsSync(settings) ? readFileSync(settings, 'utf8') : '');
    await window.runCommand('Hone: Toggle Completions for This Workspace');
    await window.waitForStatus(/Hone: suggestions off/);
    assert.match(written(), /"hone\.completions\.enabled": false/);
    await window.runCommand('Hone: Toggle Completions for This Workspace');
    await window.waitForStatus(/Hone: ready/);
    assert.doesNotMatch(written(), /hone/);
  });

  it('Pause Learning outlives a reload of the window; Resume Learning', async () => {
    await window.runCommand('Hone: Pause Learning');
    await window.waitForStatus(/Hone: ready, learning paused/);
    await window.page.reload();
    await window.waitForStatus(/Hone: ready, learning paused/);
    assert.equal((await hone.trainingStatus()).state, 'paused');
    await window.runCommand('Hone: Resume Learning');
    await window.waitForStatus(/Hone: ready(?!,)/);
  });

  it('Activate Adapter lists the base model where nothing is learned yet', async () => {
    await window.runCommand('Hone: Activate Adapter…');
    await window.choose(/^Base model.*in service/s);
    await window.waitForText('.notifications-toasts', /without an adapter now/);
  });

  it('Learn from This Workspace takes places of its files, each once', async () => {
    const { stored } = await hone.trainingStatus();
    await window.runCommand('Hone: Learn from This Workspace');
    await window.waitForText('.notifications-toasts', /[1-9] places of this workspace .* 0 were known/);
    const learned = (await hone.trainingStatus()).stored - stored;
    assert.ok(learned > 0);
    await window.runCommand('Hone: Learn from This Workspace');
    await window.waitForText('.notifications-toasts', new RegExp(`\\b0 places .* ${learned} were known`));
  });

  it('Report Issue opens a document with the state of things', async () => {
    await window.runCommand('Hone: Report Issue…');
    const text = await window.waitForText('.editor-instance .view-lines', /# State/);
    assert.match(text, /State: ready/);
    assert.match(text, /ok +llama\.cpp .* runs/);
    assert.match(text, /ok +\(the extension\)\/trainer\/models\/hone-135m-fim/);
    await window.press('Control+End');
    const end = await window.waitForText('.editor-instance .view-lines', /"Hone: Show Log"/);
    assert.match(end, /\[info\] Hone activated in \d+ ms; storage: \(the data folder\)/);
    assert.ok(!`${text}${end}`.includes(hone.folder), `${text}${end}`);
  });

  it('Show Log and Open Settings show what they say', async () => {
    await window.runCommand('Hone: Show Log');
    await window.waitForOutput('Hone');
    await window.focusEditor();
    await window.runCommand('Hone: Open Settings');
    await window.waitForText('.settings-editor', /Hone/);
    // The settings lie over the window and keep the keyboard to themselves.
    await window.press('Escape');
    await window.runCommand('Hone: Show Status');
    await window.waitForText('.tabs-container', /Hone: Dashboard/);
  });
});
