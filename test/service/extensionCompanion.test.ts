import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as newId } from 'uuid';
import { EXIT_WHEN_IDLE_SECONDS, serveArguments } from '../../extension/common/companion.ts';
import { COMPANION_FILE } from '../../extension/common/contracts/lock.ts';
import { readSettings, type Settings } from '../../extension/common/contributions.ts';
import { Backend } from '../../extension/node/backend.ts';
import { findCompanion, isAlive } from '../../extension/node/companionLock.ts';
import { startCompanion } from '../../extension/node/companionProcess.ts';
import { installationTokens } from '../../extension/node/tokens.ts';
import { pathsIn, type Paths } from '../../extension/node/paths.ts';
import { CompanionClient, CompanionError } from '../../extension/node/companionClient.ts';
import { freePort } from '../fixtures/freePort.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** What a killed companion may take to be back. */
const BACK_WITHIN_MS = 5000;

interface Window {
  backend: Backend;
  settings: Settings;
  log: string[];
  pid(): number | undefined;
}

describe("the extension's companion", function () {
  this.timeout(60_000);
  let folder: string;
  let model: string;
  let paths: Paths;
  let windows: Window[];
  const pids = new Set<number>();

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'hone-companion-'));
    model = join(folder, 'tiny.gguf');
    writeTinyModel(model);
  });
  beforeEach(() => {
    const data = mkdtempSync(join(folder, 'data-'));
    paths = {
      ...pathsIn(data, '', { HONE_COMPANION: join(ROOT, 'trainer', 'main.ts') }),
      storeWorker: join(ROOT, 'extension', 'node', 'storeWorker.ts'),
    };
    windows = [];
  });
  afterEach(async () => {
    for (const { backend } of windows) await backend.close();
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    pids.clear();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function open(change: Partial<Settings> = {}): Promise<Window> {
    const settings = {
      ...readSettings(() => undefined).settings,
      modelPath: model,
      gpu: 'cpu' as const,
      threads: 1,
      ...change,
    };
    const log: string[] = [];
    const backend = await Backend.open({
      paths,
      window: newId(),
      settings: () => settings,
      log: (level, message) => log.push(`${level}: ${message}`),
      onChange: () => undefined,
    });
    const window: Window = {
      backend,
      settings,
      log,
      pid: () => (backend.connection.state.kind === 'ready' ? backend.connection.state.pid : undefined),
    };
    backend.connection.onState((state) => {
      if (state.kind === 'ready') pids.add(state.pid!);
    });
    backend.start();
    windows.push(window);
    return window;
  }

  async function until(reached: () => boolean): Promise<void> {
    const end = Date.now() + 20_000;
    while (!reached()) {
      if (Date.now() > end) assert.fail('It never came to that.');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async function ready(window: Window, other?: number, limitMs = 20_000): Promise<number> {
    const end = Date.now() + limitMs;
    for (;;) {
      const pid = window.pid();
      if (pid !== undefined && pid !== other) return pid;
      if (Date.now() > end) assert.fail(`No companion after ${limitMs} ms:\n${window.log.join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  const complete = (window: Window, signal = new AbortController().signal) =>
    window.backend.client!.complete(
      { prompt: 'const a = ', suffix: '', max_tokens: 4, record: false },
      signal,
    );

  it('is one for two windows, and outlives each of them', async () => {
    const [first, second] = [await open(), await open()];
    const pid = await ready(first);
    assert.equal(await ready(second), pid);
    assert.match((await complete(second)).id, /^[0-9a-f-]{36}$/);
    await first.backend.close();
    assert.ok(isAlive(pid));
    await complete(second);
    const third = await open();
    assert.equal(await ready(third), pid);
  });

  it('is back within five seconds after it was killed, for both windows', async () => {
    const [first, second] = [await open(), await open()];
    const pid = await ready(first);
    await ready(second);
    const killedAt = Date.now();
    process.kill(pid, 'SIGKILL');
    const next = await ready(first, pid);
    assert.equal(await ready(second, pid), next);
    const backMs = Date.now() - killedAt;
    console.log(`      back after ${backMs} ms`);
    assert.ok(backMs < BACK_WITHIN_MS, `${backMs} ms`);
    await complete(first);
    await complete(second);
  });

  it('takes feedback that came while it was away', async () => {
    const window = await open();
    const pid = await ready(window);
    process.kill(pid, 'SIGKILL');
    await window.backend.add([
      {
        v: 1,
        id: newId(),
        completionId: newId(),
        at: Date.now(),
        kind: 'outcome',
        outcome: { kind: 'rejected', how: 'escape' },
        evidence: 'command',
        shownText: 'foo',
        filters: [],
        shownMs: 900,
        language: '',
        relativePath: '',
        workspaceKey: 'default',
        documentVersion: 1,
        offset: 0,
        session: '',
      },
    ]);
    await ready(window, pid);
    const end = Date.now() + 5000;
    const pending = async () => (await window.backend.dashboard('30days', null))!.figures.counts.pending;
    while ((await pending()) > 0 && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal(await pending(), 0);
    assert.equal((await window.backend.client!.status()).stored, 1);
  });

  it('is another one after a restart', async () => {
    const window = await open();
    const pid = await ready(window);
    await window.backend.restartCompanion();
    assert.equal(isAlive(pid), false);
    assert.notEqual(await ready(window, pid), pid);
  });

  it('has the settings of now when they changed while it started', async () => {
    const window = await open();
    await until(() => existsSync(join(paths.companionDir, COMPANION_FILE)));
    assert.equal(window.pid(), undefined, 'it is still starting');
    window.settings.inferencePort = await freePort();
    await window.backend.restartCompanion();
    await ready(window);
    const { port } = new URL(window.backend.client!.endpoints.inference);
    assert.equal(Number(port), window.settings.inferencePort);
  });

  it('gets its tokens unseen by other users, and refuses every other token', async () => {
    const window = await open({ aggressiveness: 0.4 });
    const pid = await ready(window);
    const { inference, feedback } = JSON.parse(readFileSync(paths.tokens, 'utf8')) as Record<string, string>;
    if (process.platform === 'linux') {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      assert.ok(!command.includes(inference!) && !command.includes(feedback!));
      assert.ok(command.includes(paths.companionConfig));
    }
    const stranger = new CompanionClient(window.backend.client!.endpoints, { inference: 'x', feedback: 'x' });
    await assert.rejects(
      stranger.status(),
      (error) => error instanceof CompanionError && error.status === 401,
    );
    await stranger.close();
  });

  it('tells which port is taken', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as { port: number };
    const window = await open({ inferencePort: port });
    const end = Date.now() + 20_000;
    while (window.backend.connection.state.kind !== 'error' && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { state } = window.backend.connection;
    assert.ok(state.kind === 'error' && state.message.includes(String(port)), JSON.stringify(state));
    blocker.close();
  });

  it('ends a generation when the request is taken back', async () => {
    const window = await open();
    await ready(window);
    const abort = new AbortController();
    const began = Date.now();
    const answer = window.backend.client!.complete(
      { prompt: 'const a = '.repeat(50), suffix: '', max_tokens: 4000, record: false },
      abort.signal,
    );
    setTimeout(() => abort.abort(), 30);
    await assert.rejects(answer);
    assert.ok(Date.now() - began < 1000);
    await complete(window);
  });

  it('ends when no window asks for its health any more', async () => {
    const tokens = await installationTokens(paths.tokens);
    const { process: child, ready } = await startCompanion({
      runtime: paths.runtime,
      script: paths.companionScript,
      args: serveArguments({
        dataDir: paths.companionDir,
        inferencePort: 0,
        feedbackPort: 0,
        modelPath: model,
        gpu: 'cpu',
        threads: 1,
        batchEvents: 16,
        fimTemplate: 'auto',
        fellBack: null,
        configPath: null,
      }).map((argument) => (argument === String(EXIT_WHEN_IDLE_SECONDS) ? '1' : argument)),
      tokens,
      logPath: paths.companionLog,
    });
    pids.add(ready.pid);
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const client = new CompanionClient(ready, tokens);
    for (let asked = 0; asked < 6; asked++) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await client.inferenceHealth();
    }
    const askedAt = Date.now();
    await client.close();
    assert.equal(await ended, 0);
    assert.ok(Date.now() - askedAt >= 900, 'it ended too early');
    assert.deepEqual(await findCompanion(paths.companionDir, tokens), { state: 'none' });
  });
});
