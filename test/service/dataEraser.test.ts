import assert from 'node:assert/strict';
import Fastify, { type FastifyInstance } from 'fastify';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CompanionClient } from '../../extension/node/companionClient.ts';
import { DataEraser } from '../../extension/node/dataEraser.ts';
import { Outbox } from '../../extension/node/outbox.ts';
import { Store } from '../../extension/node/store.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';

const WORKER = join(import.meta.dirname, '..', '..', 'extension', 'node', 'storeWorker.ts');
const DELETION = {
  v: 1,
  status: 'deleted',
  completions: 1,
  events: 2,
  versions: [],
  active: 0,
  requeued: 0,
};

describe('a deletion while the companion is changed in the settings', () => {
  let folder: string;
  let store: Store;
  let outbox: Outbox;
  let servers: FastifyInstance[];
  beforeEach(() => {
    folder = temporaryFolder();
    servers = [];
    store = new Store(WORKER, join(folder, 'extension.sqlite'), () => undefined);
    outbox = new Outbox({ store, window: 'w', submit: () => Promise.resolve(), log: () => undefined });
  });
  afterEach(async () => {
    await outbox.stop();
    await store.close();
    await Promise.all(servers.map((server) => server.close()));
    rmSync(folder, { recursive: true });
  });

  /** A companion that deletes, and what it was asked. */
  async function start(): Promise<{ client: CompanionClient; asked: string[]; address: string }> {
    const asked: string[] = [];
    const server = Fastify();
    server.delete('*', (request, reply) => {
      asked.push(request.url);
      return reply.send(DELETION);
    });
    servers.push(server);
    const address = await server.listen({ host: '127.0.0.1', port: 0 });
    const services = { inference: address, feedback: address };
    return { client: new CompanionClient(services, { inference: 'i', feedback: 'f' }), asked, address };
  }

  it('waits for the companion that it was meant for', async () => {
    const [local, remote] = [await start(), await start()];
    let set: { companion: string; client: CompanionClient | null } = {
      companion: remote.address,
      client: null,
    };
    const eraser = new DataEraser({
      ...{ store, outbox, companionLog: join(folder, 'companion.log'), log: () => undefined },
      client: () => set.client,
      companion: () => set.companion,
    });
    assert.equal(await eraser.erase({ kind: 'workspace', key: 'a' }), null, 'the remote one does not run');

    set = { companion: '', client: local.client };
    assert.equal(await eraser.finish(), null);
    assert.equal((await eraser.erase({ kind: 'event', id: 'b' }))?.completions, 1);
    assert.equal(local.asked.length, 1);
    assert.match(local.asked[0]!, /event.*b/);
    assert.deepEqual(
      (await store.call('openDeletions')).map(({ scope }) => scope.kind),
      ['workspace'],
    );

    set = { companion: remote.address, client: remote.client };
    assert.equal((await eraser.finish())?.events, 2);
    assert.equal(remote.asked.length, 1);
    assert.match(remote.asked[0]!, /workspace.*a/);
    assert.deepEqual(await store.call('openDeletions'), []);
  });
});
