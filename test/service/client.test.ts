import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createPlainServer, type AddressInfo } from 'node:net';
import { runHone } from '../fixtures/companionProcess.ts';

interface Sent {
  status: number;
  type: string;
  body: string;
}

describe('hone client against what is not Hone', () => {
  let server: Server;
  let answer: Sent;
  let url: string;

  before(async () => {
    server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  const client = (at: string, ...args: string[]) =>
    runHone(['client', '--url', at, '--feedback-url', at, '-n', '1', ...args]);

  const cases: [what: string, sent: Sent, said: RegExp][] = [
    [
      'other JSON',
      { status: 200, type: 'application/json', body: '{"hello":"world"}' },
      /is not Hone.*field "id".*expected string/,
    ],
    [
      "another server's completion",
      {
        status: 200,
        type: 'application/json',
        body: JSON.stringify({
          id: 'cmpl-1',
          object: 'text_completion',
          created: 1,
          model: 'm',
          choices: [],
        }),
      },
      /is not Hone.*field "adapter_version".*and \d more/,
    ],
    [
      'a page',
      { status: 200, type: 'text/html', body: '<!doctype html>\n<title>Router</title>' },
      /is not Hone.*instead of Hone's JSON.*status 200 \(text\/html\): <!doctype html> <title>Router/,
    ],
    [
      'no such route',
      { status: 404, type: 'text/html', body: '<h1>Not Found</h1>' },
      /is not Hone.*status 404.*<h1>Not Found/,
    ],
    [
      "another server's error",
      { status: 404, type: 'application/json', body: '{"detail":"Not Found"}' },
      /is not Hone.*status 404.*"detail"/,
    ],
  ];
  for (const [what, sent, said] of cases) {
    it(`says so: ${what}`, async () => {
      answer = sent;
      const { code, output, errors } = await client(url);
      assert.equal(code, 1);
      assert.equal(output, '');
      assert.match(errors, said);
      assert.match(errors, /--url/, 'what to do');
      assert.ok(errors.includes(`${url}/v1/completions`), errors);
      assert.match(errors, /^hone: .* \[not_hone\]\n$/, 'one line and no stack');
    });
  }

  it('understands an address with a slash at its end', async () => {
    const { errors } = await client(`${url}/`);
    assert.ok(errors.includes(`${url}/v1/completions`), errors);
  });

  it('says so in JSON', async () => {
    answer = { status: 200, type: 'text/html', body: '<html>' };
    const { code, output } = await client(url, '--json');
    assert.equal(code, 1);
    assert.equal((JSON.parse(output) as { error: { code: string } }).error.code, 'not_hone');
  });

  it("repeats Hone's own refusal", async () => {
    const error = {
      message: 'The bearer token is wrong.',
      type: 'authentication_error',
      code: 'unauthorized',
    };
    const body = JSON.stringify({ error: { ...error, param: null } });
    answer = { status: 401, type: 'application/json', body };
    const { errors } = await client(url);
    assert.match(errors, /^hone: .*answered 401: The bearer token is wrong\. \[refused\]\n$/);
  });

  it('says that nothing answers, and why: an address that is none, a server that hangs up', async () => {
    const noAddress = await client('localhost:8081');
    assert.match(noAddress.errors, /^hone: .*localhost:8081.*http:\/\/.*--url.* \[unreachable\]\n$/);
    const rude = createPlainServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(rude, 'listening');
    const { errors } = await client(`http://127.0.0.1:${(rude.address() as AddressInfo).port}`);
    rude.close();
    assert.match(errors, /^hone: .*127\.0\.0\.1.*hone serve.* \[unreachable\]\n$/);
  });
});
