import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveArguments } from '../../../extension/common/companion.ts';
import { COMPANION_FILE, type CompanionLock } from '../../../extension/common/contracts/lock.ts';
import { readSettings } from '../../../extension/common/contributions.ts';
import { companionOptions, writeCompanionConfig } from '../../../extension/node/companionOptions.ts';
import { findCompanion } from '../../../extension/node/companionLock.ts';
import { companionLine, LogTail, tailOf } from '../../../extension/node/logTail.ts';
import { pathsIn } from '../../../extension/node/paths.ts';
import { fingerprint } from '../../../extension/node/tokens.ts';
import { configSchema } from '../../../trainer/config/schema.ts';
import { DEFAULT_RETENTION } from '../../../trainer/store/prune.ts';

const TOKENS = { inference: 'one', feedback: 'two' };

describe("what a companion's files say", () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hone-files-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function lock(change: Partial<CompanionLock>): void {
    const content: CompanionLock = {
      v: 1,
      pid: process.pid,
      startedAt: 5,
      host: '127.0.0.1',
      inferencePort: 1001,
      feedbackPort: 1002,
      inferenceTokenFingerprint: fingerprint(TOKENS.inference),
      feedbackTokenFingerprint: fingerprint(TOKENS.feedback),
      ...change,
    };
    writeFileSync(join(folder, COMPANION_FILE), JSON.stringify(content));
  }
  const find = () => findCompanion(folder, TOKENS);

  it('nothing, half a file or a dead process is none', async () => {
    assert.equal((await find()).state, 'none');
    writeFileSync(join(folder, COMPANION_FILE), '{"v":1,"pid":');
    assert.equal((await find()).state, 'none');
    lock({ pid: spawnSync(process.execPath, ['--version']).pid });
    assert.equal((await find()).state, 'none');
  });

  it('a living one is starting, running, or not ours', async () => {
    lock({ inferencePort: null, feedbackPort: null });
    assert.deepEqual(await find(), { state: 'starting', pid: process.pid });
    lock({});
    const endpoints = { inference: 'http://127.0.0.1:1001', feedback: 'http://127.0.0.1:1002' };
    assert.deepEqual(await find(), { state: 'running', pid: process.pid, startedAt: 5, endpoints });
    lock({ feedbackTokenFingerprint: fingerprint('other') });
    assert.deepEqual(await find(), { state: 'foreign', pid: process.pid });
    lock({ host: '0.0.0.0', inferenceTokenFingerprint: null, feedbackTokenFingerprint: null });
    assert.equal((await find()).state, 'running');
  });

  it('the log says its last error, or its last line', async () => {
    const path = join(folder, 'companion.log');
    assert.equal(await tailOf(path), '');
    writeFileSync(path, 'plain\n{"level":50,"msg":"port 1 is taken"}\n{"level":30,"msg":"bye"}\n');
    assert.equal(await tailOf(path), 'port 1 is taken');
    writeFileSync(path, '{"level":30,"msg":"hello"}\nError: boom\n');
    assert.equal(await tailOf(path), 'Error: boom');
  });

  it('the log of a process says nothing of the one before', async () => {
    const path = join(folder, 'companion.log');
    const old = '{"level":50,"msg":"old trouble"}\n';
    writeFileSync(path, `${old}hone: Port 1 is in use\n`);
    assert.equal(await tailOf(path), 'old trouble');
    assert.equal(await tailOf(path, old.length), 'hone: Port 1 is in use');
    assert.equal(await tailOf(path, old.length + 23), '');
  });

  it('the log is followed from its end, line by line, into a new file', async () => {
    const path = join(folder, 'companion.log');
    writeFileSync(path, '{"level":30,"msg":"old"}\n');
    const tail = new LogTail(path);
    assert.deepEqual(await tail.read(), []);
    appendFileSync(path, '{"level":40,"time":7,"msg":"new"}\n{"level":30,');
    assert.deepEqual(await tail.read(), [{ level: 'warn', message: 'new', at: 7 }]);
    appendFileSync(path, '"msg":"rest"}\n');
    assert.deepEqual(await tail.read(), [{ level: 'info', message: 'rest', at: null }]);
    writeFileSync(path, 'x\n');
    assert.deepEqual(await tail.read(), [{ level: 'info', message: 'x', at: null }]);
  });

  it('the log is shown with the time of each line, and with the cause of an error', async () => {
    const path = join(folder, 'companion.log');
    const tail = new LogTail(path);
    assert.deepEqual(await tail.read(), []);
    const at = new Date(2026, 0, 2, 9, 5, 1, 7).getTime();
    const failed = {
      level: 50,
      time: at,
      err: { message: 'no space left' },
      msg: 'It could not be written.',
    };
    const told = {
      level: 50,
      time: at,
      err: { message: 'no space left' },
      msg: 'Unexpected: no space left.',
    };
    writeFileSync(path, `${JSON.stringify(failed)}\n${JSON.stringify(told)}\nSegmentation fault\n`);
    assert.deepEqual((await tail.read()).map(companionLine), [
      'companion 09:05:01.007: It could not be written. no space left',
      'companion 09:05:01.007: Unexpected: no space left.',
      'companion: Segmentation fault',
    ]);
  });
});

describe("the companion's command line", () => {
  const options = {
    dataDir: '/d',
    inferencePort: 0,
    feedbackPort: 8082,
    modelPath: '',
    gpu: 'auto' as const,
    threads: 0,
    batchEvents: 16,
    fimTemplate: 'auto',
    fellBack: null,
    configPath: null,
  };

  it('names what differs from the defaults, and no token', () => {
    const args = serveArguments(options).join(' ');
    assert.match(args, /^serve --data-dir \/d --inference-port 0 --feedback-port 8082 --gpu auto/);
    assert.doesNotMatch(args, /--model|--threads|--config|--fim-template|--fell-back|token/);
    const own = { modelPath: '/m.gguf', fimTemplate: 'psm', threads: 2, configPath: '/c' };
    const all = serveArguments({ ...options, ...own }).join(' ');
    assert.match(all, /--model \/m\.gguf --fim-template psm --threads 2 --config \/c /);
  });

  it('is made of the settings', () => {
    const { settings } = readSettings((key) => (key === 'completions.fimTemplate' ? 'spm' : undefined));
    const made = serveArguments(companionOptions(settings, pathsIn('/storage', '/dist', {})));
    assert.equal(made[made.indexOf('--fim-template') + 1], 'spm');
  });

  it('says the rest in a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hone-config-'));
    const paths = pathsIn(folder, '/dist', {});
    const written = async (values: Record<string, unknown>) => {
      const { settings } = readSettings((key) => values[key]);
      assert.equal(companionOptions(settings, paths).configPath, paths.companionConfig);
      await writeCompanionConfig(settings, paths);
      return configSchema.parse(JSON.parse(readFileSync(paths.companionConfig, 'utf8')));
    };
    const plain = await written({});
    assert.deepEqual([plain.model.memoryLimitMb, plain.training.threads], [undefined, undefined]);
    assert.equal(plain.training.onBattery, false);
    assert.equal(plain.training.adapters, 'shared');
    assert.deepEqual(plain.retention, DEFAULT_RETENTION);
    const own = await written({
      'tracking.keepDays': 30,
      'learning.onBattery': true,
      'learning.threads': 1,
      'learning.adapters': 'workspace',
      'companion.memoryLimitMb': 2000,
      'learning.aggressiveness': 0.5,
    });
    assert.deepEqual([own.model.memoryLimitMb, own.training.threads], [2000, 1]);
    assert.equal(own.retention.maxAgeDays, 30);
    assert.equal(own.training.adapters, 'workspace');
    assert.deepEqual([own.training.onBattery, own.training.acceptThreshold], [true, 0.5]);
    rmSync(folder, { recursive: true });
  });

  it('and its files can be moved', () => {
    const paths = pathsIn('/storage', '/dist', {
      HONE_DATA_DIR: '/data',
      HONE_COMPANION: '/c.ts',
      HONE_NODE: '/n',
    });
    assert.equal(paths.database, join('/data', 'extension.sqlite'));
    assert.equal(paths.companionScript, '/c.ts');
    assert.equal(paths.runtime, '/n');
    assert.equal(pathsIn('/storage', '/dist', {}).companionScript, join('/dist', 'hone.js'));
  });
});
