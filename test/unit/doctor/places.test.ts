import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { COMPANION_FILE } from '../../../extension/common/contracts/lock.ts';
import { configSchema } from '../../../trainer/config/schema.ts';
import { permissionFindings, proxyFindings } from '../../../trainer/doctor/access.ts';
import { lookAtFolder } from '../../../trainer/doctor/folder.ts';
import { redacted } from '../../../trainer/doctor/privacy.ts';
import { portFindings } from '../../../trainer/doctor/services.ts';
import type { Finding } from '../../../trainer/doctor/finding.ts';
import { lockDataFolder } from '../../../trainer/lock.ts';
import { openStore } from '../../../trainer/store/store.ts';

describe('the places that the doctor looks at', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hone-doctor-'));
  let dataDir: string;
  let next = 0;
  beforeEach(() => {
    dataDir = join(folder, `data${next++}`);
  });
  after(() => rmSync(folder, { recursive: true }));

  const found = (findings: readonly Finding[], check: string): Finding =>
    findings.find((finding) => finding.check === check)!;

  describe('the data folder', () => {
    it('is not made by looking', () => {
      const { findings, holder } = lookAtFolder(join(dataDir, 'deep', 'down'));
      assert.match(found(findings, 'dataFolder').text, /not there yet; the first start makes it/);
      assert.equal(holder, null);
      assert.equal(existsSync(dataDir), false);
    });

    it('that can’t be written is a problem, also where a file is in the way', () => {
      mkdirSync(dataDir);
      writeFileSync(join(dataDir, 'file'), '');
      for (const path of [join(dataDir, 'file'), join(dataDir, 'file', 'below'), '/proc/hone']) {
        if (path.startsWith('/proc') && !existsSync('/proc')) continue;
        const { findings } = lookAtFolder(path);
        assert.deepEqual(
          findings.map(({ check, status }) => [check, status]),
          [['dataFolder', 'problem']],
          path,
        );
        assert.match(findings[0]!.text, /can't be written/);
        assert.match(findings[0]!.remedy!, /--data-dir/);
      }
    });

    it('in order, with a database, is left as it was', () => {
      openStore(dataDir).close();
      const before = readdirSync(dataDir);
      const { findings, database } = lookAtFolder(dataDir);
      assert.deepEqual(
        findings.map(({ status }) => status),
        ['ok', 'ok', 'ok', 'ok'],
      );
      assert.match(found(findings, 'database').text, /opens and is sound, schema \d+\./);
      assert.equal(database!.contents!.completions, 0);
      assert.deepEqual(
        // The lock that was tried, and the index of a database that was read.
        readdirSync(dataDir).filter(
          (name) => name !== 'companion.lock' && !name.startsWith('experience.db-'),
        ),
        before,
      );
    });

    it('tells a damaged database, and one of a newer Hone', () => {
      openStore(dataDir).close();
      const path = join(dataDir, 'experience.db');
      const database = new Database(path);
      database.pragma('user_version = 999');
      database.close();
      const newer = found(lookAtFolder(dataDir).findings, 'database');
      assert.equal(newer.status, 'problem');
      assert.match(newer.text, /schema 999.*a newer one wrote it/);
      writeFileSync(path, 'no database at all, but long enough to be read as the header of one'.repeat(50));
      const damaged = found(lookAtFolder(dataDir).findings, 'database');
      assert.equal(damaged.status, 'problem');
      assert.match(damaged.text, /is damaged: .*Move it away/);
    });

    it('says who holds it, and that the last one was killed', () => {
      const lock = lockDataFolder(dataDir);
      lock.publish({ inferencePort: 8081, feedbackPort: 8082 });
      const held = lookAtFolder(dataDir);
      assert.match(
        found(held.findings, 'lock').text,
        new RegExp(`process id ${process.pid} holds.*ports 8081 and 8082`),
      );
      assert.deepEqual(typeof held.holder, 'object');
      lock.release();
      assert.match(
        found(lookAtFolder(dataDir).findings, 'lock').text,
        /^No companion runs on this data folder\.$/,
      );
      const left = {
        v: 1,
        pid: 77,
        startedAt: 0,
        host: '127.0.0.1',
        inferencePort: 1,
        feedbackPort: 2,
        inferenceTokenFingerprint: null,
        feedbackTokenFingerprint: null,
      };
      writeFileSync(join(dataDir, COMPANION_FILE), JSON.stringify(left));
      const dead = found(lookAtFolder(dataDir).findings, 'lock');
      assert.equal(dead.status, 'warning');
      assert.match(dead.text, /process id 77, started 1970-01-01.*was killed or crashed/);
    });
  });

  describe('ports', () => {
    let server: Server;
    let port: number;
    before(async () => {
      server = createServer((socket) => socket.end('SSH-2.0\r\n')).listen(0, '127.0.0.1');
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port;
    });
    after(() => server.close());
    const ports = (change: object) =>
      portFindings(configSchema.parse({ server: { inferencePort: 0, feedbackPort: 0, ...change } }));

    it('that are free are left free', async () => {
      assert.deepEqual(
        (await ports({})).map(({ status }) => status),
        ['ok'],
      );
    });

    it('that are taken are told with their option, and how to see by whom', async () => {
      const [finding, ...more] = await ports({ feedbackPort: port });
      assert.deepEqual(more, []);
      assert.equal(finding!.status, 'problem');
      assert.match(
        finding!.text,
        new RegExp(`Port ${port} of 127\\.0\\.0\\.1 can't be had: another program has it`),
      );
      assert.match(finding!.remedy!, new RegExp(`--feedback-port .*Who has it: .*${port}`));
    });

    it('of an address that this computer doesn’t have', async () => {
      assert.match(
        (await ports({ host: '203.0.113.7', inferencePort: 8081 }))[0]!.text,
        /has no such address/,
      );
    });
  });

  describe('rights', function () {
    before(function () {
      if (process.platform === 'win32') this.skip();
    });

    it('of tokens and records', () => {
      const root = mkdtempSync(join(folder, 'installation-'));
      chmodSync(root, 0o755);
      dataDir = join(root, 'companion');
      mkdirSync(dataDir, { mode: 0o700 });
      const tokens = join(root, 'tokens.json');
      writeFileSync(tokens, JSON.stringify({ inference: 'abcdefgh', feedback: 'ijklmnop' }), { mode: 0o600 });
      assert.deepEqual(
        permissionFindings(dataDir).map(({ status }) => status),
        ['ok'],
      );
      chmodSync(tokens, 0o644);
      chmodSync(dataDir, 0o750);
      const open = permissionFindings(dataDir);
      assert.deepEqual(
        open.map(({ status }) => status),
        ['problem', 'warning'],
      );
      assert.match(open[0]!.text, /tokens\.json \(mode 644\)/);
      assert.equal(open[0]!.remedy, `chmod go-rwx '${tokens}'`);
      // Nobody gets into the folder: what is in it is safe.
      chmodSync(root, 0o700);
      assert.deepEqual(
        permissionFindings(dataDir).map(({ status }) => status),
        ['ok'],
      );
    });
  });

  it('are the proxies as well', () => {
    const cases: [NodeJS.ProcessEnv, string[]][] = [
      [{}, []],
      [{ HTTP_PROXY: 'http://p' }, ['warning']],
      [{ https_proxy: 'http://p' }, []],
      [{ http_proxy: 'http://p', NO_PROXY: 'corp,localhost' }, ['ok']],
      [{ ALL_PROXY: 'http://p', no_proxy: '127.0.0.1' }, ['ok']],
      [{ HTTP_PROXY: 'http://p', NO_PROXY: 'corp' }, ['warning']],
    ];
    for (const [environment, statuses] of cases)
      assert.deepEqual(
        proxyFindings(environment).map(({ status }) => status),
        statuses,
        JSON.stringify(environment),
      );
  });

  it('are named without the home folder and without tokens', () => {
    const text = `${join(homedir(), 'a')} and secret-token-1 and ${homedir()}`;
    assert.deepEqual(
      redacted([{ check: 'x', status: 'problem', text, remedy: text }], ['secret-token-1', 'a']),
      [{ check: 'x', status: 'problem', text: '~/a and [token] and ~', remedy: '~/a and [token] and ~' }],
    );
  });
});
