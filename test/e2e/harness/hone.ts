import Database from 'better-sqlite3';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import {
  companionLockSchema,
  COMPANION_FILE,
  trainingStatusSchema,
  type CompanionLock,
  type TrainingStatus,
} from '../../../extension/common/contracts/index.ts';
import { VSIX } from './paths.ts';
import { startServer, type ServerOptions, type WorkbenchServer } from './server.ts';
import { openBrowser, Workbench } from './workbench.ts';

const POLL_MS = 100;
const SETTINGS_MS = 2000;
/** By default suggestions are drawn at random, and a test that waits for one would now and then draw silence. */
const GREEDY = { 'hone.completions.temperature': 0 };
/** An answer to the question of the first start; `undefined` in a test's own settings leaves it open. */
const ANSWERED = { 'hone.tracking.enabled': true };

/** A row of the extension's own store: what was shown and how it ended. */
export interface OutcomeRow {
  completionId: string;
  shownText: string;
  adapterVersion: number;
  relativePath: string;
  outcome: { kind: string; how?: string };
  evidence: string;
}

/** The built package installed in a workbench of its own, with a workspace and a folder for everything it writes. */
export class HoneWorkbench {
  readonly folder: string;
  readonly workspace: string;
  readonly dataDir: string;
  readonly server: WorkbenchServer;
  readonly browser: BrowserContext;

  private constructor(folder: string, server: WorkbenchServer, browser: BrowserContext) {
    this.folder = folder;
    this.workspace = join(folder, 'workspace');
    this.dataDir = join(folder, 'data');
    this.server = server;
    this.browser = browser;
  }

  /** @param files path within the workspace to text */
  static async start(
    files: Record<string, string>,
    options: Pick<ServerOptions, 'settings' | 'untrusted' | 'vscodeOptions'> = {},
  ): Promise<HoneWorkbench> {
    assert.ok(existsSync(VSIX), `${VSIX} is missing: run "npm run package" first.`);
    const folder = mkdtempSync(join(tmpdir(), 'hone-e2e-'));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, 'workspace', file)), { recursive: true });
      writeFileSync(join(folder, 'workspace', file), text);
    }
    // First: a machine without one must fail before anything runs that would keep the tests from ending.
    const browser = await openBrowser(join(folder, 'browser'));
    try {
      const server = await startServer({
        folder: join(folder, 'server'),
        vsix: [VSIX],
        environment: { HONE_DATA_DIR: join(folder, 'data') },
        ...options,
        settings: { ...GREEDY, ...ANSWERED, ...options.settings },
      });
      return new HoneWorkbench(folder, server, browser);
    } catch (error) {
      await browser.close();
      throw error;
    }
  }

  /** A window with the file open, when the extension is ready in it. */
  async open(file: string, status = /Hone: ready/): Promise<Workbench> {
    const window = await Workbench.open(this.browser, this.server, this.workspace, file);
    await window.waitForStatus(status);
    return window;
  }

  /** Writes the workspace's settings; the editor takes them up within a moment. */
  async configure(settings: Record<string, unknown>): Promise<void> {
    mkdirSync(join(this.workspace, '.vscode'), { recursive: true });
    writeFileSync(join(this.workspace, '.vscode', 'settings.json'), JSON.stringify(settings));
    await new Promise((resolve) => setTimeout(resolve, SETTINGS_MS));
  }

  /** Terminal outcomes in the order in which they were written. */
  outcomes(): OutcomeRow[] {
    return this.#read(
      `SELECT e.completion_id AS completionId, c.shown_text AS shownText, c.adapter_version AS adapterVersion,
              c.relative_path AS relativePath, e.body AS body
         FROM events e LEFT JOIN completions c ON c.id = e.completion_id
        WHERE e.kind = 'outcome' ORDER BY e.rowid`,
    ).map(({ body, ...row }) => ({ ...row, ...pick(body as string) }) as OutcomeRow);
  }

  /** Adapter versions under which completions were shown in a file, oldest first. */
  shownIn(file: string): { shownText: string; adapterVersion: number }[] {
    const rows = this.#read(
      `SELECT shown_text AS shownText, adapter_version AS adapterVersion, relative_path AS path
         FROM completions ORDER BY rowid`,
    ) as { shownText: string; adapterVersion: number; path: string }[];
    return rows.filter((row) => row.path === file);
  }

  corrections(): { completionId: string; typed: string | null }[] {
    return this.#read(
      `SELECT completion_id AS completionId, body FROM events WHERE kind = 'correction' ORDER BY rowid`,
    ).map((row) => ({
      completionId: row.completionId as string,
      typed: (JSON.parse(row.body as string) as { typed: string | null }).typed,
    }));
  }

  /** How many rows of any kind the extension has written. */
  rowCount(): number {
    return ['completions', 'events', 'outbox', 'refused']
      .map((table) => this.#read(`SELECT count(*) AS n FROM ${table}`)[0]?.n as number | undefined)
      .reduce<number>((total, n) => total + (n ?? 0), 0);
  }

  companion(): CompanionLock {
    const text = readFileSync(join(this.dataDir, 'companion', COMPANION_FILE), 'utf8');
    return companionLockSchema.parse(JSON.parse(text));
  }

  async trainingStatus(): Promise<TrainingStatus> {
    const { feedback } = JSON.parse(readFileSync(join(this.dataDir, 'tokens.json'), 'utf8')) as {
      feedback: string;
    };
    const response = await fetch(`http://127.0.0.1:${this.companion().feedbackPort}/api/training/status`, {
      headers: { authorization: `Bearer ${feedback}` },
    });
    return trainingStatusSchema.parse(await response.json());
  }

  /** Ends browser, server and companion, and removes everything they wrote. */
  async stop(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
    this.#endCompanion();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  #endCompanion(): void {
    try {
      process.kill(this.companion().pid, 'SIGTERM');
    } catch {
      // None was started, or it has ended by itself.
    }
  }

  #read(sql: string): Record<string, unknown>[] {
    const path = join(this.dataDir, 'extension.sqlite');
    if (!existsSync(path)) return [];
    const database = new Database(path, { readonly: true });
    try {
      return database.prepare(sql).all() as Record<string, unknown>[];
    } finally {
      database.close();
    }
  }
}

/** Reads until the value is accepted; fails with the last one seen. */
export async function eventually<T>(
  read: () => T | Promise<T>,
  accept: (value: T) => boolean,
  what: string,
  limitMs = 15_000,
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await read();
    if (accept(value)) return value;
    if (Date.now() > end)
      assert.fail(`Waited ${limitMs} ms for ${what}; last seen: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function pick(body: string): Pick<OutcomeRow, 'outcome' | 'evidence'> {
  const { outcome, evidence } = JSON.parse(body) as OutcomeRow;
  return { outcome, evidence };
}
