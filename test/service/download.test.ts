import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { download, type DownloadOptions } from '../../extension/node/download/download.ts';
import { DownloadError, type DownloadFailure } from '../../extension/node/download/downloadError.ts';
import { withDownloadLock } from '../../extension/node/download/downloadLock.ts';
import { downloadConnections } from '../../extension/node/download/proxy.ts';
import { FileServer } from '../fixtures/fileServer.ts';
import { until } from '../fixtures/until.ts';

const SIZE = 3_000_000;
const content = Buffer.alloc(SIZE, 'GGUF and more, ');
content.writeUInt32LE(0xfeed, SIZE - 4);

describe('a download', function () {
  this.timeout(30_000);
  let folder: string;
  let target: string;
  let server: FileServer;
  let log: string[];
  let progress: number[];
  const connections = downloadConnections({ proxy: '', noProxy: [], strictSsl: true });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hone-download-'));
    target = join(folder, 'models', 'm.gguf');
    server = new FileServer(content);
    await server.start();
    log = [];
    progress = [];
  });
  afterEach(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  after(() => connections.destroy());

  function fetchIt(change: Partial<DownloadOptions> = {}): Promise<void> {
    return download({
      url: `${server.origin}/m.gguf`,
      target,
      sha256: server.sha256,
      bytes: SIZE,
      magic: Buffer.from('GGUF'),
      connections,
      signal: new AbortController().signal,
      onProgress: ({ receivedBytes }) => progress.push(receivedBytes),
      log: (message) => log.push(message),
      retryMs: 5,
      ...change,
    });
  }

  async function fails(code: DownloadFailure, change: Partial<DownloadOptions> = {}): Promise<string> {
    const error = await fetchIt(change).then(
      () => assert.fail('It succeeded.'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof DownloadError, String(error));
    assert.equal(error.code, code, error.message);
    assert.equal(existsSync(target), false);
    return error.message;
  }

  function isWhole(): void {
    assert.ok(readFileSync(target).equals(content));
    assert.deepEqual(readdirSync(join(target, '..')), ['m.gguf']);
  }

  const partSize = () => readFileSync(`${target}.part`).length;

  async function leaveHalf(): Promise<void> {
    server.behaviour = { bytesPerTick: 100_000 };
    const cancel = new AbortController();
    const onProgress = () => cancel.abort();
    await fails('cancelled', { signal: cancel.signal, onProgress });
    server.behaviour = {};
    server.requests.length = 0;
  }

  it('ends with the whole file in its place, and tells how far it is', async () => {
    await fetchIt();
    isWhole();
    assert.equal(progress.at(-1), SIZE);
  });

  it('takes a file that is there', async () => {
    await fetchIt();
    await fetchIt();
    assert.equal(server.requests.length, 1);
  });

  it('goes on where the connection was cut, with the tag of the file', async () => {
    server.behaviour = { cut: { afterBytes: 1_000_000, count: 2 } };
    await fetchIt();
    isWhole();
    const ranges = server.requests.map(({ range, ifRange, status }) => [range, ifRange, status]);
    assert.deepEqual(ranges[0], [null, null, 200]);
    assert.equal(ranges.length, 3);
    for (const [range, ifRange, status] of ranges.slice(1)) {
      assert.match(String(range), /^bytes=[1-9]\d*-$/);
      assert.deepEqual([ifRange, status], ['"one"', 206]);
    }
    assert.equal(log.length, 2);
  });

  it('gives up after some tries that bring nothing, and keeps what it has', async () => {
    await leaveHalf();
    server.behaviour = { failures: { status: 503, count: 99 } };
    assert.match(await fails('unreachable'), /answers 503\. Try again/);
    assert.equal(server.requests.length, 5);
    assert.ok(partSize() > 0);
    server.behaviour = {};
    await fetchIt();
    isWhole();
  });

  it('goes on after it was cancelled', async () => {
    await leaveHalf();
    const kept = partSize();
    assert.ok(kept > 0 && kept < SIZE);
    await fetchIt();
    isWhole();
    assert.equal(server.requests[0]!.range, `bytes=${kept}-`);
  });

  it('goes on after its process was killed', async () => {
    server.behaviour = { bytesPerTick: 20_000 };
    const script = join(import.meta.dirname, '..', 'fixtures', 'downloadInProcess.ts');
    const args = [script, `${server.origin}/m.gguf`, target, server.sha256];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout })) {
      if (Number(line) < 100_000) continue;
      child.kill('SIGKILL');
      break;
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    assert.ok(existsSync(`${target}.lock`), 'the lock of the killed process is still there');
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(`${target}.lock`, longAgo, longAgo);
    server.behaviour = {};
    const kept = partSize();
    assert.ok(kept >= 100_000);
    await fetchIt();
    isWhole();
    assert.equal(server.requests.at(-1)!.range, `bytes=${kept}-`);
  });

  it('begins anew where the server heeds no ranges', async () => {
    await leaveHalf();
    server.behaviour = { ranges: false };
    await fetchIt();
    isWhole();
    assert.equal(server.requests.length, 1);
    assert.match(log.at(-1)!, /beginning anew/);
  });

  it('begins anew where the file has changed since', async () => {
    await leaveHalf();
    server.behaviour = { etag: '"two"' };
    await fetchIt();
    isWhole();
    assert.deepEqual([server.requests[0]!.ifRange, server.requests[0]!.status], ['"one"', 200]);
  });

  it('begins anew where what is there is of another file', async () => {
    await leaveHalf();
    const note = `${target}.part.json`;
    writeFileSync(note, readFileSync(note, 'utf8').replace(server.sha256, 'f'.repeat(64)));
    await fetchIt();
    isWhole();
    assert.equal(server.requests[0]!.range, null);
  });

  it('takes a whole part for the file without fetching anything', async () => {
    await leaveHalf();
    writeFileSync(`${target}.part`, content);
    await fetchIt();
    isWhole();
    assert.equal(server.requests[0]!.status, 416);
  });

  it('begins anew where more is there than the file has', async () => {
    await leaveHalf();
    writeFileSync(`${target}.part`, Buffer.concat([content, content]));
    await fetchIt();
    isWhole();
    assert.deepEqual(
      server.requests.map(({ status }) => status),
      [416, 200],
    );
  });

  it('needs no length and no tag of the server', async () => {
    server.behaviour = { etag: null, length: false, cut: { afterBytes: 1_000_000, count: 1 } };
    await fetchIt();
    isWhole();
  });

  it('deletes what has another checksum', async () => {
    const other = Buffer.from(content);
    other[SIZE - 9]! ^= 1;
    server.behaviour = { body: other };
    assert.match(await fails('wrong_checksum'), /SHA-256 is [0-9a-f]{64}, and [0-9a-f]{64} was expected/);
    assert.deepEqual(readdirSync(join(target, '..')), []);
  });

  it('refuses another file before it fetches it, by its size or by what the hub publishes', async () => {
    assert.match(await fails('other_file', { bytes: SIZE + 1 }), /3000000 bytes in the place of 3000001/);
    server.behaviour = { published: { sha256: 'a'.repeat(64) } };
    assert.match(await fails('other_file'), /SHA-256 aaaa/);
    server.behaviour = { published: { sha256: server.sha256 } };
    await fetchIt();
    isWhole();
  });

  it('refuses a page and what is no model at once', async () => {
    server.behaviour = { contentType: 'text/html; charset=utf-8', body: Buffer.from('<html>Sign in') };
    assert.match(await fails('not_the_file', { bytes: null }), /web page/);
    server.behaviour = { body: Buffer.from('<html>Sign in') };
    await fails('not_the_file', { bytes: null });
    server.behaviour = { body: Buffer.from('GG') };
    await fails('not_the_file', { bytes: null });
    assert.deepEqual(readdirSync(join(target, '..')), []);
  });

  it('says what is missing and what is refused', async () => {
    assert.match(await fails('not_found', { url: `${server.origin}/nowhere` }), /404.*hone\.models\.mirror/);
    assert.match(await fails('refused', { url: `${server.origin}/secret` }), /403/);
    assert.equal(server.requests.length, 2, 'neither is tried again');
  });

  it('says that nobody is there', async () => {
    const gone = new FileServer(content);
    await gone.start();
    const url = `${gone.origin}/m.gguf`;
    await gone.stop();
    assert.match(await fails('unreachable', { url }), /127\.0\.0\.1:\d+ can't be reached: .+/);
  });

  it('begins nothing that the disk has no room for', async () => {
    server.behaviour = { announcedBytes: 2 ** 52 };
    const message = await fails('no_space', { bytes: null });
    assert.match(message, /too little room: \d+ MB are needed and \d+ MB more have to be free/);
    assert.equal(existsSync(`${target}.part`), false);
  });

  it('is made once by two windows, and taken over from one that gives up', async () => {
    server.behaviour = { bytesPerTick: 100_000 };
    const first = new AbortController();
    const one = fetchIt({ signal: first.signal }).catch((error: DownloadError) => error.code);
    await until(() => existsSync(`${target}.part`) && partSize() > 100_000, 'a part');
    const waits: number[] = [];
    const two = fetchIt({ onProgress: ({ receivedBytes }) => waits.push(receivedBytes) });
    await until(() => waits.length > 0, 'the second to wait');
    first.abort();
    assert.equal(await one, 'cancelled');
    await two;
    isWhole();
    assert.ok(Number(/\d+/.exec(server.requests[1]!.range!)![0]) > 100_000, 'it goes on where the first was');
    assert.equal(server.requests.length, 2);
  });

  it('waits for a lock that is held, however long', async () => {
    const times = { beatMs: 20, staleMs: 200, pollMs: 10 };
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const order: string[] = [];
    const signal = new AbortController().signal;
    const first = withDownloadLock(
      target,
      signal,
      () => {},
      () => held.then(() => order.push('first')),
      times,
    );
    await until(() => existsSync(`${target}.lock`), 'the lock');
    let waited = 0;
    const second = withDownloadLock(
      target,
      signal,
      () => waited++,
      async () => order.push('second'),
      times,
    );
    await until(() => waited > 40, 'a long wait');
    release();
    await Promise.all([first, second]);
    assert.deepEqual(order, ['first', 'second']);
  });
});
