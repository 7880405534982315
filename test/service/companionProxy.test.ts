import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Health } from '../../extension/common/contracts/index.ts';
import { CompanionClient } from '../../extension/node/companionClient.ts';

const HEALTH: Health = {
  status: 'ok',
  service: 'inference',
  model: 'M',
  adapterVersion: 0,
  fim: true,
  contextTokens: 1024,
};

describe('the way to the companion', () => {
  let server: Server;
  const proxy = process.env.HTTP_PROXY;

  before(async () => {
    server = createServer((_, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(HEALTH)),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // Nobody listens there.
    process.env.HTTP_PROXY = 'http://127.0.0.1:1';
  });
  after(() => {
    if (proxy === undefined) delete process.env.HTTP_PROXY;
    else process.env.HTTP_PROXY = proxy;
    server.close();
  });

  it('passes no proxy, whatever the environment says', async () => {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new CompanionClient(
      { inference: address, feedback: address },
      { inference: 'a', feedback: 'b' },
    );
    assert.equal((await client.inferenceHealth()).status, 'ok');
    await client.close();
  });
});
