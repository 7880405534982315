import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPANION_FILE, companionLockSchema } from '../../../extension/common/contracts/index.ts';
import { lockDataFolder, runningCompanion, tokenFingerprint } from '../../../trainer/lock.ts';

const LOCK_MODULE = join(import.meta.dirname, '../../../trainer/lock.ts');

describe('lock of the data folder', () => {
  let dataDir: string;
  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'hone-lock-'))));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  /** Another process that holds the lock until it is killed, and forgets what it was given. */
  async function holder(): Promise<ChildProcess> {
    const program = `
      const { lockDataFolder } = await import(${JSON.stringify(LOCK_MODULE)});
      const hold = () => {
        const lock = lockDataFolder(${JSON.stringify(dataDir)});
        lock.publish({ inferencePort: 1234, feedbackPort: 5678, inferenceTokenFingerprint: 'f' });
      };
      hold();
      await new Promise((resolve) => setTimeout(resolve, 10));
      gc();
      console.log('held');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    return child;
  }

  it('says who runs and where', () => {
    const lock = lockDataFolder(dataDir);
    lock.publish({ host: '127.0.0.1', inferencePort: 8081, feedbackPort: 8082 });
    const info = companionLockSchema.parse(JSON.parse(readFileSync(join(dataDir, COMPANION_FILE), 'utf8')));
    assert.equal(info.pid, process.pid);
    assert.equal(info.inferencePort, 8081);
    assert.ok(Math.abs(info.startedAt - Date.now()) < 10_000);
    lock.release();
    lock.release();
    assert.equal(existsSync(join(dataDir, COMPANION_FILE)), false);
    assert.equal(runningCompanion(dataDir), null);
    lockDataFolder(dataDir).release();
  });

  it('refuses a second companion and names the first one', async () => {
    const child = await holder();
    try {
      assert.throws(() => lockDataFolder(dataDir), {
        code: 'data_dir_in_use',
        message: new RegExp(`process id ${child.pid} \\(ports 1234 and 5678\\).*--data-dir`),
      });
      assert.equal(runningCompanion(dataDir)!.pid, child.pid);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  it('is free again when its process was killed, whatever the file still says', async () => {
    const child = await holder();
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.ok(existsSync(join(dataDir, COMPANION_FILE)));
    assert.equal(runningCompanion(dataDir), null);
    const lock = lockDataFolder(dataDir);
    const info = companionLockSchema.parse(JSON.parse(readFileSync(join(dataDir, COMPANION_FILE), 'utf8')));
    assert.equal(info.pid, process.pid);
    lock.release();
  });

  it('makes a folder that only its owner may look into', () => {
    if (process.platform === 'win32') return;
    const folder = join(dataDir, 'made');
    lockDataFolder(folder).release();
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  it('says what is wrong with a folder that cannot be one', () => {
    const path = join(dataDir, 'file');
    writeFileSync(path, '');
    assert.throws(() => lockDataFolder(path), { code: 'data_dir_unusable' });
    const link = join(dataDir, 'link');
    symlinkSync(join(dataDir, 'not', 'mounted'), link, 'dir');
    assert.throws(() => lockDataFolder(join(link, 'data')), { code: 'data_dir_unusable', message: /link/ });
  });

  it('says which file is damaged or in the way, and holds nothing then', () => {
    const locked = join(dataDir, 'companion.lock');
    writeFileSync(locked, 'no lock '.repeat(100));
    assert.throws(() => lockDataFolder(dataDir), {
      code: 'data_dir_unusable',
      message: /companion\.lock is damaged.*Move it away/,
    });
    rmSync(locked);
    mkdirSync(join(dataDir, COMPANION_FILE));
    assert.throws(() => lockDataFolder(dataDir), { code: 'data_dir_unusable', message: /companion\.json/ });
    assert.deepEqual(readdirSync(dataDir).sort(), [COMPANION_FILE, 'companion.lock']);
    rmSync(join(dataDir, COMPANION_FILE), { recursive: true });
    lockDataFolder(dataDir).release();
  });

  it('takes the room of what an earlier companion left behind when the disk is full', () => {
    if (process.platform !== 'linux') return;
    const path = join(dataDir, COMPANION_FILE);
    writeFileSync(path, 'of before');
    // A write to this device fails for want of room.
    symlinkSync('/dev/full', `${path}.${process.pid}`);
    const lock = lockDataFolder(dataDir);
    assert.equal(lock.published, true);
    assert.equal(companionLockSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).pid, process.pid);
    assert.deepEqual(readdirSync(dataDir).sort(), [COMPANION_FILE, 'companion.lock']);
    lock.release();
  });

  it('says at once that a folder cannot be made, and makes those above one', () => {
    if (process.platform !== 'linux') return;
    assert.throws(() => lockDataFolder('/proc/hone'), { code: 'data_dir_unusable', message: /\/proc\/hone/ });
    const deep = join(dataDir, 'a', 'b', 'c');
    lockDataFolder(deep).release();
    assert.equal(statSync(deep).mode & 0o777, 0o700);
  });

  it('fingerprints a token without telling it', () => {
    assert.match(tokenFingerprint('secret'), /^[0-9a-f]{16}$/);
    assert.notEqual(tokenFingerprint('secret'), tokenFingerprint('Secret'));
  });
});
