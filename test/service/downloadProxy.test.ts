import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, request as forward, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ask } from '../../extension/node/download/answer.ts';
import { DownloadError } from '../../extension/node/download/downloadError.ts';
import { downloadConnections, type ProxySettings } from '../../extension/node/download/proxy.ts';

const TLS = join(import.meta.dirname, '..', 'fixtures', 'tls');
const VARIABLES = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];
const DIRECT: ProxySettings = { proxy: '', noProxy: [], strictSsl: true };

describe('the way to a download', () => {
  let plain: Server;
  let secure: Server;
  let proxy: Server;
  /** What the proxy was asked for. */
  const proxied: string[] = [];
  const environment: Record<string, string | undefined> = {};

  before(async () => {
    for (const name of VARIABLES) {
      environment[name] = process.env[name];
      delete process.env[name];
    }
    plain = createServer((_, response) => response.end('plain'));
    const keys = {
      key: readFileSync(join(TLS, 'key.pem')),
      cert: readFileSync(join(TLS, 'certificate.pem')),
    };
    secure = createTlsServer(keys, (_, response) => response.end('secure'));
    proxy = createServer((incoming, outgoing) => {
      proxied.push(incoming.url!);
      incoming.pipe(
        forward(incoming.url!, { method: incoming.method!, headers: incoming.headers }, (answer) => {
          outgoing.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(outgoing);
        }),
      );
    }).on('connect', ({ url }, socket) => {
      proxied.push(url!);
      const [host, port] = url!.split(':');
      const peer = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        peer.pipe(socket).pipe(peer);
      });
      peer.on('error', () => socket.destroy());
      socket.on('error', () => peer.destroy());
    });
    for (const server of [plain, secure, proxy])
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => (proxied.length = 0));
  afterEach(() => {
    for (const name of VARIABLES) delete process.env[name];
  });
  after(() => {
    Object.assign(process.env, Object.fromEntries(Object.entries(environment).filter(([, value]) => value)));
    for (const server of [plain, secure, proxy]) {
      server.closeAllConnections();
      server.close();
    }
  });

  const addressOf = (server: Server, scheme = 'http') =>
    `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function fetched(url: string, change: Partial<ProxySettings> = {}): Promise<string> {
    const connections = downloadConnections({ ...DIRECT, ...change });
    const signal = new AbortController().signal;
    try {
      const { body } = await ask({ url, from: 0, etag: null, connections, signal });
      let text = '';
      for await (const chunk of body!) text += Buffer.from(chunk).toString();
      return text;
    } finally {
      await connections.destroy();
    }
  }

  it('is straight without a setting', async () => {
    assert.equal(await fetched(`${addressOf(plain)}/a`), 'plain');
    assert.deepEqual(proxied, []);
  });

  it('leads through the proxy of the setting', async () => {
    const url = `${addressOf(plain)}/a`;
    assert.equal(await fetched(url, { proxy: addressOf(proxy) }), 'plain');
    assert.equal(proxied.length, 1);
    assert.match(proxied[0]!, /127\.0\.0\.1/);
  });

  it('leads through the proxy of the environment, and the setting comes before it', async () => {
    process.env.http_proxy = addressOf(proxy);
    assert.equal(await fetched(`${addressOf(plain)}/a`), 'plain');
    assert.equal(proxied.length, 1);
    process.env.http_proxy = 'http://127.0.0.1:1';
    assert.equal(await fetched(`${addressOf(plain)}/a`, { proxy: addressOf(proxy) }), 'plain');
    assert.equal(proxied.length, 2);
  });

  it('leads past the proxy where it is told so', async () => {
    const settings = { proxy: 'http://127.0.0.1:1', noProxy: ['127.0.0.1'] };
    assert.equal(await fetched(`${addressOf(plain)}/a`, settings), 'plain');
  });

  for (const through of ['', 'proxy'])
    it(`checks certificates unless told otherwise${through && ', through a proxy too'}`, async () => {
      const url = `${addressOf(secure, 'https')}/a`;
      const settings = { proxy: through && addressOf(proxy) };
      await assert.rejects(fetched(url, settings), (error) => {
        assert.ok(error instanceof DownloadError);
        assert.match(error.message, /127\.0\.0\.1:\d+ can't be reached: .*certificate.*http\.proxy/i);
        return true;
      });
      assert.equal(await fetched(url, { ...settings, strictSsl: false }), 'secure');
      assert.equal(proxied.length, through ? 2 : 0);
    });
});
