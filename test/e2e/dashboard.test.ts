import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleMessage, FrameLocator } from 'playwright-core';
import { fillStore } from '../fixtures/manyRecords.ts';
import { seedVersions } from '../fixtures/seededAdapters.ts';
import { eventually, HoneWorkbench } from './harness/hone.ts';
import { CACHE } from './harness/paths.ts';
import type { Workbench } from './harness/workbench.ts';

const PICTURES = join(CACHE, 'e2e-dashboard');
const MANY_EVENTS = 50_000;
/** On a quiet computer a fraction of a second. */
const PAINT_LIMIT_MS = 20_000;
const THEMES = {
  light: 'Default Light Modern',
  contrast: 'Default High Contrast',
  dark: 'Default Dark Modern',
};
const NARROW_THEME = 'dark';
const WIDE = { width: 1400, height: 900 };
const NARROW = { width: 448, height: 900 };
const TABS = ['Overview', 'Suggestions', 'Learning', 'Adapters', 'Privacy'];

describe('the dashboard', function () {
  this.timeout(180_000);
  let hone: HoneWorkbench;
  let window: Workbench;
  let dashboard: FrameLocator;
  const complaints: string[] = [];

  before(async () => {
    hone = await HoneWorkbench.start(
      {
        'src/accept.js':
          'export function sum(items) {\n  let total = 0;\n  for (const item of items) {\n  }\n}\n',
      },
      { settings: { 'hone.completions.temperature': 0, 'editor.autoIndent': 'full' } },
    );
    mkdirSync(hone.dataDir, { recursive: true });
    mkdirSync(PICTURES, { recursive: true });
    seedVersions(join(hone.dataDir, 'companion'), ['promoted', 'provisional', 'rejected', 'promoted']);
    fillStore(join(hone.dataDir, 'extension.sqlite'), MANY_EVENTS, 30);
    window = await hone.open('src/accept.js');
    window.page.on('console', (message) => {
      if (isOfDashboard(message)) complaints.push(`${message.text()} (${message.location().url})`);
    });
    dashboard = window.page.frameLocator('iframe.webview').frameLocator('#active-frame');
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window?.keepPicture(this.currentTest.fullTitle());
  });

  after(async () => {
    await hone?.stop();
  });

  it(`is on the screen soon with ${MANY_EVENTS} events`, async () => {
    const first = await openingMs();
    await window.runCommand('View: Close Editor');
    await window.page.locator('iframe.webview').waitFor({ state: 'detached' });
    // The editor itself starts its service worker for pages with the first of them.
    const again = await openingMs();
    console.log(`      from the command to the charts: ${first} ms, when opened again ${again} ms`);
    assert.ok(Math.max(first, again) < PAINT_LIMIT_MS);
    assert.equal(await dashboard.locator('hone-chart canvas').count(), 4);
    const points = dashboard.getByRole('img', { name: /Acceptance, 30 points\. taken of the judged: from / });
    await points.waitFor();
  });

  it('lists a suggestion that was accepted', async () => {
    await window.openFile('accept.js');
    await window.focusEditor();
    await window.goToEndOfLine(3);
    await window.type('\ntotal ');
    const ghost = await window.waitForGhostText();
    await window.press('Tab');
    await window.runCommand('Hone: Open Dashboard');
    await openTab('Suggestions');
    const newest = dashboard.locator('tbody tr').first();
    await newest.getByText('src/accept.js').waitFor();
    await eventually(
      async () => newest.innerText(),
      (text) => text.includes(ghost.trim()) && text.includes('accepted'),
      'the accepted suggestion',
    );
  });

  it('forgets a suggestion after it has asked', async () => {
    const [accepted] = hone.outcomes().slice(-1);
    assert.equal(accepted!.relativePath, 'src/accept.js');
    await dashboard
      .locator('tbody tr')
      .first()
      .getByRole('button', { name: /^Forget the suggestion/ })
      .click();
    await window.page.locator('.monaco-dialog-box .monaco-button').filter({ hasText: 'Forget' }).click();
    await eventually(
      () => hone.outcomes().map(({ completionId }) => completionId),
      (ids) => !ids.includes(accepted!.completionId),
      'the suggestion to go',
      30_000,
    );
    await dashboard.locator('tbody').getByText('src/accept.js').waitFor({ state: 'detached' });
  });

  it('draws the updates, and shows the figures of the last one by phase', async () => {
    await openTab('Learning');
    await dashboard
      .getByRole('img', { name: /Loss a token, 4 points\. typed instead: from 0\.6 to 2\.4/ })
      .waitFor();
    const seconds = dashboard.getByRole('table', { name: 'Seconds by phase of the last update' });
    assert.deepEqual(await seconds.locator('tbody tr').allInnerTexts(), [
      'lower\t0.40',
      'reference\t1.10',
      'train\t6.20',
      'gate\t3.30',
      'learner\t11.50',
      'swap\t0.20',
    ]);
  });

  it('pauses learning and goes on', async () => {
    await dashboard.getByRole('button', { name: 'Pause Learning' }).click();
    await dashboard.getByText('paused until it is resumed').waitFor();
    await dashboard.getByRole('button', { name: 'Resume Learning' }).click();
    await dashboard
      .getByText('waiting for more events')
      .or(dashboard.getByText('idle: nothing waits'))
      .waitFor();
  });

  it('brings a version back and another one into service', async () => {
    await openTab('Adapters');
    const serves = (version: number) =>
      eventually(
        () => hone.trainingStatus(),
        ({ adapterVersion }) => adapterVersion === version,
        `version ${version} in service`,
      );
    await serves(4);
    await dashboard.getByRole('button', { name: 'Roll Back' }).click();
    await serves(2);
    await dashboard.getByText('Takes version 2 out of service').waitFor();
    await dashboard.getByRole('button', { name: 'Activate version 1' }).click();
    await serves(1);
    await dashboard.getByText('Takes version 1 out of service').waitFor();
  });

  it('switches tracking off and on', async () => {
    await openTab('Privacy');
    const box = dashboard.locator('vscode-checkbox');
    await box.click();
    await window.waitForStatus(/Hone: tracking off/);
    await box.click();
    await window.waitForStatus(/Hone: ready/);
  });

  it('is walked through with the keyboard', async () => {
    await openTab('Overview');
    const tab = (name: string) => dashboard.getByRole('tab', { name });
    await tab('Overview').focus();
    await window.press('ArrowRight');
    await window.press('Enter');
    assert.equal(await tab('Suggestions').getAttribute('aria-selected'), 'true');
    await dashboard.getByRole('region', { name: 'Recent suggestions, newest first' }).waitFor();
    await openTab('Overview');
    await dashboard.getByText('Latency as a table').focus();
    await window.press('Enter');
    await dashboard.getByRole('table', { name: 'Latency' }).waitFor();
    await window.press('Enter');
  });

  it('takes its colours from the theme, wide and narrow', async () => {
    const drawn = new Set<string>();
    for (const [name, theme] of Object.entries(THEMES)) {
      await hone.configure({ 'workbench.colorTheme': theme });
      await openTab('Overview');
      drawn.add(
        await dashboard
          .locator('canvas')
          .first()
          .evaluate((canvas: HTMLCanvas) => canvas.toDataURL()),
      );
      for (const tab of TABS) await picture(tab, name);
      if (name !== NARROW_THEME) continue;
      await window.page.setViewportSize(NARROW);
      await window.press('Control+b');
      for (const tab of TABS) {
        await picture(tab, `${name}-narrow`);
        const width = await dashboard.locator('main').evaluate(overflowing);
        assert.ok(width <= 0, `${tab} is ${width} pixels too wide`);
      }
      await window.press('Control+b');
      await window.page.setViewportSize(WIDE);
    }
    assert.equal(drawn.size, Object.keys(THEMES).length);
  });

  it('keeps to its content policy and has no error', () => {
    assert.deepEqual(complaints, []);
  });

  it('shows what is recorded', async () => {
    await openTab('Privacy');
    await dashboard.getByRole('button', { name: 'What Is Recorded?' }).click();
    await window.page.locator('.tabs-container .tab.active').filter({ hasText: 'TELEMETRY' }).waitFor();
  });

  /** From the command to the last chart. */
  async function openingMs(): Promise<number> {
    await window.runCommand('Hone: Open Dashboard');
    const start = performance.now();
    await dashboard.locator('hone-chart canvas').nth(3).waitFor();
    return Math.round(performance.now() - start);
  }

  async function openTab(name: string): Promise<void> {
    await dashboard.getByRole('tab', { name }).click();
  }

  async function picture(tab: string, name: string): Promise<void> {
    await openTab(tab);
    await window.page.waitForTimeout(300);
    await window.page.screenshot({ path: join(PICTURES, `${name}-${tab.toLowerCase()}.png`) });
  }
});

/** As much of the page's own types as the test uses: it is not typed as one of a browser. */
interface HTMLCanvas {
  toDataURL(): string;
}

function overflowing(main: {
  ownerDocument: { documentElement: { scrollWidth: number; clientWidth: number } };
}) {
  const { scrollWidth, clientWidth } = main.ownerDocument.documentElement;
  return scrollWidth - clientWidth;
}

function isOfDashboard(message: ConsoleMessage): boolean {
  if (/Content Security Policy/i.test(message.text())) return true;
  return message.type() === 'error' && /webview|vscode-resource/.test(message.location().url);
}
