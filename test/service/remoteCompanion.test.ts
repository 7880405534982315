import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as newId } from 'uuid';
import { COMPANION_FILE } from '../../extension/common/contracts/lock.ts';
import type { FeedbackEvent } from '../../extension/common/contracts/index.ts';
import { readSettings, type Settings } from '../../extension/common/contributions.ts';
import { Backend } from '../../extension/node/backend.ts';
import { pathsIn, type Paths } from '../../extension/node/paths.ts';
import { CompanionProcess } from '../fixtures/companionProcess.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';
import { CERTIFICATE_FILE, TlsProxy } from '../fixtures/tlsProxy.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const TOKEN = 'a-token-of-another-machine';
const PATIENCE_MS = 30_000;

describe('a companion on another machine, behind TLS', function () {
  this.timeout(90_000);
  const folder = temporaryFolder();
  const model = join(folder, 'tiny.gguf');
  let companion: CompanionProcess;
  let inference: TlsProxy;
  let feedback: TlsProxy;
  let paths: Paths;
  let backend: Backend;
  let settings: Settings;
  let log: string[];

  before(async () => {
    writeTinyModel(model);
    const args = ['--data-dir', join(folder, 'data'), '--model', model, '--gpu', 'cpu', '--threads', '1'];
    companion = await CompanionProcess.start([
      ...[...args, '--no-train', '--token', TOKEN, '--log-level', 'error'],
    ]);
  });
  beforeEach(async () => {
    inference = await TlsProxy.start(companion.ready.inference);
    feedback = await TlsProxy.start(companion.ready.feedback);
    paths = {
      ...pathsIn(mkdtempSync(join(folder, 'window-')), '', {
        HONE_COMPANION: join(ROOT, 'trainer', 'main.ts'),
      }),
      storeWorker: join(ROOT, 'extension', 'node', 'storeWorker.ts'),
    };
  });
  afterEach(async () => {
    await backend.close();
    await Promise.all([inference.close(), feedback.close()]);
  });
  after(async () => {
    await companion.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it('completes, takes feedback, and no companion is started here', async () => {
    await open();
    await state('ready');
    assert.match((await complete()).id, /^[0-9a-f-]{36}$/);
    const before = (await companion.status()).stored;
    await backend.add([rejected()]);
    await companion.until(({ stored }) => stored === before + 1);
    assert.equal(existsSync(join(paths.companionDir, COMPANION_FILE)), false);
    assert.equal(backend.connection.remote!.host, new URL(inference.url).host);
    assert.equal(backend.connection.remote!.warning, null);
  });

  it('is not trusted with a certificate that nobody signed; that is said once, and few attempts are made', async () => {
    await open({ companionCertificateFile: '' });
    const message = await state('error');
    assert.match(message, /certificate.*hone\.companion\.certificateFile/);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    assert.ok(inference.connections <= 3, `${inference.connections} attempts in two seconds`);
    assert.equal(feedback.connections, 0);
    assert.equal(log.filter((line) => line.startsWith('error')).length, 1);
    await change({ companionCertificateFile: join(folder, 'nowhere.pem') });
    assert.match(await state('error', /nowhere\.pem/), /nowhere\.pem can't be read/);
  });

  it('refuses without the token; events wait here until it is right', async () => {
    await open({ companionHeaders: { Authorization: 'Bearer wrong' } });
    assert.match(await state('error'), /refuses the token.*hone\.companion\.headers/);
    assert.equal(backend.client, null);
    const before = (await companion.status()).stored;
    await backend.add([rejected(), rejected()]);
    assert.equal((await backend.dashboard('30days', null))!.figures.counts.pending, 2);
    await change({ companionHeaders: { authorization: `Bearer ${TOKEN}` } });
    await state('ready');
    await companion.until(({ stored }) => stored === before + 2);
  });

  it('is found again after it was gone; events wait', async () => {
    await open();
    await state('ready');
    const { port } = new URL(feedback.url);
    await feedback.close();
    const before = (await companion.status()).stored;
    await backend.add([rejected()]);
    assert.match(await state('error'), /Nothing listens at/);
    assert.equal((await backend.dashboard('30days', null))!.figures.counts.pending, 1);
    feedback = await TlsProxy.start(companion.ready.feedback, Number(port));
    await state('ready');
    await companion.until(({ stored }) => stored === before + 1);
  });

  it('is asked for its part of an export, and to delete', async () => {
    await open();
    await state('ready');
    const { id } = await complete();
    const path = join(folder, 'other-machine.jsonl');
    await backend.client!.exportTo(path);
    assert.ok(readFileSync(path, 'utf8').includes(id));
    assert.ok((await backend.deleteData({ kind: 'all' }))!.completions > 0);
    rmSync(path);
    await backend.client!.exportTo(path);
    assert.ok(!readFileSync(path, 'utf8').includes('"table":"completions"'));
  });

  it('is not replaced by this machine when its address is wrong, and is when there is none', async () => {
    await open({ companionUrl: 'machine:8443' });
    assert.match(await state('error'), /hone\.companion\.url is no address/);
    assert.equal(existsSync(join(paths.companionDir, COMPANION_FILE)), false);
    await change({ companionUrl: '' });
    await state('ready');
    const { pid } = backend.connection.state as { pid: number };
    assert.ok(pid > 0);
    assert.equal(backend.connection.remote, null);
    await complete();
    process.kill(pid, 'SIGTERM');
  });

  async function open(changed: Partial<Settings> = {}): Promise<void> {
    settings = {
      ...readSettings(() => undefined).settings,
      ...{ modelPath: model, gpu: 'cpu' as const, threads: 1 },
      companionUrl: inference.url,
      companionFeedbackUrl: feedback.url,
      companionHeaders: { Authorization: `Bearer ${TOKEN}` },
      companionCertificateFile: CERTIFICATE_FILE,
      ...changed,
    };
    log = [];
    backend = await Backend.open({
      paths,
      window: newId(),
      settings: () => settings,
      log: (level, message) => log.push(`${level}: ${message}`),
      onChange: () => undefined,
    });
    backend.start();
  }

  async function change(changed: Partial<Settings>): Promise<void> {
    settings = { ...settings, ...changed };
    await backend.restartCompanion();
  }

  const complete = () =>
    backend.client!.complete(
      { prompt: 'const a = ', suffix: '', max_tokens: 4 },
      new AbortController().signal,
    );

  /** Waits for it; returns what an error says. */
  async function state(kind: 'ready' | 'error', said = /^/): Promise<string> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const now = backend.connection.state;
      const message = now.kind === 'error' ? now.message : '';
      if (now.kind === kind && said.test(message)) return message;
      if (Date.now() > end) assert.fail(`It is ${JSON.stringify(now.kind)} ${message}:\n${log.join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
});

function rejected(): FeedbackEvent {
  return {
    ...{ v: 1, id: newId(), completionId: newId(), at: Date.now(), kind: 'outcome' },
    ...{ outcome: { kind: 'rejected', how: 'escape' }, evidence: 'command', shownText: 'x', filters: [] },
    ...{ shownMs: 900, language: 'typescript', relativePath: 'a.ts', workspaceKey: 'w', documentVersion: 1 },
    ...{ offset: 3, session: 's' },
  };
}
