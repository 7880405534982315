import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { findBrowser } from './browser.ts';
import { CACHE } from './paths.ts';
import type { WorkbenchServer } from './server.ts';

const BROWSER_FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];
/** Within which an input is filled, or has gone. */
const FILL_LIMIT_MS = 1000;
const OPEN_LIMIT_MS = 60_000;
const POLL_MS = 50;
const PALETTE_ATTEMPTS = 3;
const PALETTE_FILL_MS = 5000;
/** Between two keys, in milliseconds: a fast typist. */
const KEY_DELAY_MS = 30;

/** A browser in which windows of a workbench are opened; `profile` is the folder of what it writes. */
export async function openBrowser(profile: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    headless: true,
    args: BROWSER_FLAGS,
    viewport: { width: 1400, height: 900 },
  });
}

/** One window of the workbench, with one file open in it. */
export class Workbench {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** Opens `folder` with `file` (relative to it) and waits for the editor's first lines. */
  static async open(
    browser: BrowserContext,
    server: WorkbenchServer,
    folder: string,
    file: string,
  ): Promise<Workbench> {
    const page = await browser.newPage();
    const uri = `vscode-remote://127.0.0.1:${server.port}${join(folder, file)}`;
    const query = new URLSearchParams({ folder, payload: JSON.stringify([['openFile', uri]]) });
    await page.goto(`http://127.0.0.1:${server.port}/?${query.toString()}`);
    await page.waitForSelector('.editor-instance .monaco-editor .view-lines', { timeout: OPEN_LIMIT_MS });
    return new Workbench(page);
  }

  /** Text of the status-bar items, one string. */
  async statusBar(): Promise<string> {
    const texts = await this.page.locator('.statusbar-item').allInnerTexts();
    return texts.map((text) => text.replaceAll('\u00a0', ' ').trim()).join(' | ');
  }

  /** Waits until the status bar matches; the extension's own item is how it says that it is active. */
  async waitForStatus(pattern: RegExp, limitMs = OPEN_LIMIT_MS): Promise<string> {
    return this.#poll(
      () => this.statusBar(),
      (text) => pattern.test(text),
      limitMs,
      `status bar to match ${pattern}`,
    );
  }

  /** Puts the keyboard into the editor. */
  async focusEditor(): Promise<void> {
    await this.page.locator('.editor-instance .monaco-editor .view-lines').first().click();
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text, { delay: KEY_DELAY_MS });
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
  }

  /** Moves the caret to the end of a line, 1-based. */
  async goToEndOfLine(line: number): Promise<void> {
    await this.press('Control+g');
    const input = this.page.locator('.quick-input-widget:visible input');
    await input.waitFor();
    await input.fill(`:${line}`);
    await this.press('Enter');
    await this.page
      .locator('.quick-input-widget:visible')
      .waitFor({ state: 'detached' })
      .catch(() => undefined);
    await this.press('End');
  }

  /** Opens another file of the workspace in the same window by its name. */
  async openFile(name: string): Promise<void> {
    await this.press('Control+p');
    const input = this.page.locator('.quick-input-widget:visible input');
    await input.waitFor();
    await input.fill(name);
    // The list is filtered a moment after the typing, and Enter takes the row that has the focus.
    await this.page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: name }).waitFor();
    await this.press('Enter');
    const title = this.page.locator('.tabs-container .tab.active').filter({ hasText: name });
    await title.waitFor();
    await this.page.locator('.editor-instance .monaco-editor .view-lines').first().waitFor();
  }

  /** Runs a command of the palette by its full label. */
  async runCommand(label: string): Promise<void> {
    await this.#openPalette(`>${label}`);
    await this.page
      .locator('.quick-input-list .monaco-list-row')
      .filter({ hasText: label })
      .first()
      .waitFor();
    await this.press('Enter');
  }

  /** Clicks on the status-bar item whose text matches. */
  async clickStatus(pattern: RegExp): Promise<void> {
    await this.page.locator('.statusbar-item').filter({ hasText: pattern }).locator('a').first().click();
  }

  /** What a screen reader is told of the status-bar item whose text matches. */
  async statusLabel(pattern: RegExp): Promise<string> {
    const item = this.page.locator('.statusbar-item').filter({ hasText: pattern }).first();
    return plain((await item.getAttribute('aria-label')) ?? '');
  }

  /** Lines of the list that is open, without icons. */
  async quickPickRows(): Promise<string[]> {
    const rows = this.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
    await rows.first().waitFor();
    return (await rows.allInnerTexts()).map((text) => plain(text).trim());
  }

  async waitForRow(pattern: RegExp): Promise<string> {
    const rows = await this.#poll(
      () => this.quickPickRows(),
      (all) => all.some((row) => pattern.test(row)),
      OPEN_LIMIT_MS,
      `a line that matches ${pattern}`,
    );
    return rows.find((row) => pattern.test(row))!;
  }

  /** Takes the line of the open list that matches. */
  async choose(pattern: RegExp): Promise<void> {
    const row = await this.waitForRow(pattern);
    const name = row.split('\n', 1)[0]!;
    await this.page
      .locator('.quick-input-widget:visible .quick-input-list .monaco-list-row')
      .filter({ hasText: name })
      .first()
      .click();
  }

  /** Waits for a notification. */
  async waitForMessage(pattern: RegExp): Promise<void> {
    await this.waitForText('.notifications-toasts', pattern);
  }

  /** Waits until the output of a channel is shown. */
  async waitForOutput(channel: string): Promise<void> {
    const shown = this.page.locator('.part.panel select option:checked');
    await this.#poll(
      () => shown.allTextContents(),
      (channels) => channels.includes(channel),
      OPEN_LIMIT_MS,
      `the output of ${channel}`,
    );
  }

  /** Waits until a part of the window says something. */
  async waitForText(selector: string, pattern: RegExp): Promise<string> {
    return this.#poll(
      async () => (await this.page.locator(selector).allInnerTexts()).map(plain).join('\n'),
      (text) => pattern.test(text),
      OPEN_LIMIT_MS,
      `${selector} to match ${pattern}`,
    );
  }

  /** Takes the folder that the editor's own dialog, known by its title, begins with. */
  async takeFolder(title: string): Promise<void> {
    const dialog = this.page.locator('.quick-input-widget:visible').filter({ hasText: title });
    await dialog.waitFor();
    // Enter does nothing before the folder is listed.
    await this.#poll(
      async () => {
        if (await dialog.isVisible()) await this.press('Enter');
        return dialog.isVisible();
      },
      (isOpen) => !isOpen,
      OPEN_LIMIT_MS,
      `"${title}" to be answered`,
    );
  }

  /** Takes a file by its path in the editor's own dialog. */
  async takeFile(title: string, path: string): Promise<void> {
    const dialog = this.page.locator('.quick-input-widget:visible').filter({ hasText: title });
    await dialog.waitFor();
    // The dialog writes its own folder into the input when that is listed, over what stands there by then.
    await this.#poll(
      async () => {
        const input = dialog.locator('.quick-input-box input');
        if (!(await input.isVisible())) return false;
        // Into the input alone: when it has gone, the key would answer what comes next.
        const typed = { timeout: FILL_LIMIT_MS };
        await input
          .fill(path, typed)
          .then(() => input.press('Enter', typed))
          .catch(() => undefined);
        return dialog.isVisible();
      },
      (isOpen) => !isOpen,
      OPEN_LIMIT_MS,
      `"${title}" to be answered`,
    );
  }

  /** The suggestion on display, its spans joined; empty when there is none. */
  async ghostText(): Promise<string> {
    const spans = await this.page
      .locator('.ghost-text-decoration, .ghost-text-decoration-preview')
      .allTextContents();
    const lines = await this.page.locator('.suggest-preview-text .view-line').allTextContents();
    return plain([spans.join(''), ...lines].filter((text) => text !== '').join('\n'));
  }

  async waitForGhostText(
    accept: (text: string) => boolean = (text) => text !== '',
    limitMs = 20_000,
  ): Promise<string> {
    return this.#poll(() => this.ghostText(), accept, limitMs, 'ghost text');
  }

  /** The suggestion that comes within the time, or the empty text. */
  async ghostTextWithin(limitMs: number): Promise<string> {
    return this.waitForGhostText((text) => text !== '', limitMs).catch(() => '');
  }

  async waitForNoGhostText(limitMs = 10_000): Promise<void> {
    await this.#poll(
      () => this.ghostText(),
      (text) => text === '',
      limitMs,
      'ghost text to go',
    );
  }

  async save(): Promise<void> {
    await this.press('Control+s');
  }

  /** Keeps a picture of the window under .cache/e2e-failures, for whoever looks into a failed test. */
  async keepPicture(title: string): Promise<void> {
    const name = title.replaceAll(/[^\w]+/g, '-').slice(0, 100);
    await this.page.screenshot({ path: join(CACHE, 'e2e-failures', `${name}.png`) });
  }

  /** Leaves the page first, which gives the extension's deactivate() a chance, then closes it. */
  async close(): Promise<void> {
    await this.page.goto('about:blank');
    await this.page.close();
  }

  /** A view that was opened just before takes the keyboard when it is ready, and the palette is gone. */
  async #openPalette(text: string, attempts = PALETTE_ATTEMPTS): Promise<void> {
    await this.press('F1');
    const input = this.page.locator('.quick-input-widget:visible input');
    try {
      await input.waitFor();
      await input.fill(text, { timeout: PALETTE_FILL_MS });
    } catch (error) {
      if (attempts === 1) throw error;
      await this.#openPalette(text, attempts - 1);
    }
  }

  async #poll<T>(
    read: () => Promise<T>,
    accept: (value: T) => boolean,
    limitMs: number,
    what: string,
  ): Promise<T> {
    const end = Date.now() + limitMs;
    let value = await read();
    while (!accept(value)) {
      if (Date.now() > end)
        throw new Error(`Waited ${limitMs} ms for ${what}; last seen: ${JSON.stringify(value)}`);
      await this.page.waitForTimeout(POLL_MS);
      value = await read();
    }
    return value;
  }
}

/** The editor draws spaces as no-break spaces. */
function plain(text: string): string {
  return text.replaceAll('\u00a0', ' ').replaceAll('\u200b', '');
}
