import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { serveReadySchema, type ServeReady } from '../../extension/common/contracts/index.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

const MAIN = join(import.meta.dirname, '../../trainer/main.ts');

interface Ended {
  code: number | null;
  output: string;
  errors: string;
}

function start(args: string[], environment: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
}

async function run(args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  const child = start(args, environment);
  let output = '';
  let errors = '';
  child.stdout!.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => void (errors += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, errors };
}

describe('hone serve', () => {
  const folder = temporaryFolder();
  const model = join(folder, 'tiny.gguf');
  const common = ['--model', model, '--gpu', 'cpu', '--threads', '1', '--log-level', 'error'];
  const free = ['--inference-port', '0', '--feedback-port', '0'];
  before(() => void writeTinyModel(model));
  after(() => rmSync(folder, { recursive: true }));

  describe('when it runs', () => {
    let child: ChildProcess;
    let ready: ServeReady;
    before(async () => {
      child = start(['serve', ...common, ...free, '--data-dir', join(folder, 'running')]);
      const lines = createInterface({ input: child.stdout! });
      const [line] = (await once(lines, 'line')) as [string];
      ready = serveReadySchema.parse(JSON.parse(line));
    });
    after(async () => {
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'close');
      }
    });

    it('says in one line of JSON where it listens', async () => {
      assert.equal(ready.pid, child.pid);
      assert.equal(ready.model, 'tiny');
      assert.equal(ready.adapterVersion, 0);
      for (const url of [ready.inference, ready.feedback]) {
        assert.equal((await fetch(`${url}/health`)).status, 200);
        assert.equal((await fetch(`${url}/metrics`)).status, 401);
      }
    });

    it('is what the test client talks to', async () => {
      const urls = ['--url', ready.inference, '--feedback-url', ready.feedback, '--token', ready.token];
      const json = await run(['client', ...urls, '-n', '3', '--json']);
      assert.equal(json.code, 0, json.errors);
      const answer = JSON.parse(json.output) as { completions: { id: string }[]; status: { stored: number } };
      assert.equal(answer.completions.length, 3);
      assert.equal(answer.status.stored, 3);
      const text = await run(['client', ...urls.slice(0, 4), '-n', '2'], { HONE_TOKEN: ready.token });
      assert.match(text.output, /stored 5/);
    });

    it('owns its data folder: a second one is refused and told who has it', async () => {
      const second = await run([
        'serve',
        ...common,
        ...free,
        '--data-dir',
        join(folder, 'running'),
        '--json',
      ]);
      assert.equal(second.code, 1);
      assert.match(second.errors, new RegExp(`process id ${child.pid}`));
      assert.match(second.output, /"code":"data_dir_in_use"/);
    });

    it('ends with 0 when it is asked to', async () => {
      child.kill('SIGTERM');
      const [code] = (await once(child, 'close')) as [number | null];
      assert.equal(code, 0);
      await assert.rejects(fetch(`${ready.inference}/health`));
    });
  });

  it('takes its tokens from the environment, and ends when nobody asks any more', async () => {
    const dataDir = join(folder, 'idle');
    const args = ['serve', ...common, ...free, '--data-dir', dataDir, '--exit-when-idle', '1'];
    const child = start(args, { HONE_TOKEN: 'inference-token', HONE_FEEDBACK_TOKEN: 'feedback-token' });
    const ended = once(child, 'close');
    const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
    const ready = serveReadySchema.parse(JSON.parse(line));
    assert.deepEqual([ready.token, ready.feedbackToken], ['inference-token', 'feedback-token']);
    const status = async (url: string, token: string) =>
      (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status;
    assert.equal(await status(ready.inference, 'inference-token'), 200);
    assert.equal(await status(ready.feedback, 'inference-token'), 401);
    assert.equal(await status(ready.feedback, 'feedback-token'), 200);
    for (let asked = 0; asked < 4; asked++) {
      await wait(400);
      assert.equal((await fetch(`${ready.feedback}/health`)).status, 200);
    }
    assert.deepEqual(await ended, [0, null]);
  });

  it('refuses a port that is taken, by number and option', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = String((taken.address() as AddressInfo).port);
    try {
      for (const option of ['--inference-port', '--feedback-port']) {
        const dataDir = join(folder, `taken${option}`);
        const ended = await run(['serve', ...common, ...free, option, port, '--data-dir', dataDir]);
        assert.equal(ended.code, 1);
        assert.match(ended.errors, new RegExp(`Port ${port} .*${option}.*\\[port_in_use\\]`));
        assert.equal(ended.output, '');
      }
    } finally {
      taken.close();
    }
  });

  it('ends with 1 and says what to do when the model is missing', async () => {
    const missing = join(folder, 'nowhere.gguf');
    const ended = await run(['serve', ...free, '--model', missing, '--data-dir', join(folder, 'missing')]);
    assert.equal(ended.code, 1);
    assert.match(ended.errors, /nowhere\.gguf.*--model.*\[model_missing\]/);
  });

  it('ends with 1 and says what to do when the configuration is wrong', async () => {
    const missing = await run(['serve', ...common, ...free, '--config', join(folder, 'none.json')]);
    assert.equal(missing.code, 1);
    assert.match(missing.errors, /none\.json: The configuration can't be read: ENOENT.*\[config_invalid\]/);
  });

  it('wants a token on an address that others can reach', async () => {
    const ended = await run(['serve', ...common, ...free, '--host', '0.0.0.0', '--token', 'none']);
    assert.equal(ended.code, 1);
    assert.match(ended.errors, /\[token_required\]/);
  });

  it('ends with 2 when it is called wrongly, 0 for help', async () => {
    assert.equal((await run(['serve', '--inference-port', 'eighty'])).code, 2);
    const help = await run(['serve', '--help']);
    assert.equal(help.code, 0);
    assert.match(help.output, /--feedback-port/);
  });

  it('tells the client that nothing answers', async () => {
    const ended = await run(['client', '--url', 'http://127.0.0.1:1', '-n', '1']);
    assert.equal(ended.code, 1);
    assert.match(ended.errors, /127\.0\.0\.1:1.*hone serve.*\[unreachable\]/);
  });
});
