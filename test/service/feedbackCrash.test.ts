import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DATABASE_FILE } from '../../trainer/store/database.ts';
import { CompanionProcess } from '../fixtures/companionProcess.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

const WRITERS = 4;
const KILLED_AFTER = 60;
const CONFIG = ['--batch-events', '8', '--gpu', 'cpu', '--threads', '1', '--log-level', 'error'];

describe('a companion that is killed', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const args = ['--model', join(folder, 'tiny.gguf'), '--data-dir', dataDir, '--token', 'secret', ...CONFIG];
  let companion: CompanionProcess | null = null;

  before(() => void writeTinyModel(join(folder, 'tiny.gguf')));
  afterEach(() => companion?.kill());
  after(() => rmSync(folder, { recursive: true }));

  const stored = (): Set<string> => {
    const database = new Database(join(dataDir, DATABASE_FILE), { readonly: true });
    const ids = database.prepare('SELECT id FROM events').pluck().all() as string[];
    database.close();
    return new Set(ids);
  };
  const flat = (name: string) => ({
    completionId: name,
    prompt: `const ${name} = `,
    completion: 'one;',
    accepted: true,
  });

  it('while events are submitted: every acknowledged one is there, and sending all again stores none twice', async () => {
    companion = await CompanionProcess.start([...args, '--no-train']);
    const sent = new Set<string>();
    const acknowledged = new Set<string>();
    const writer = async (name: string): Promise<void> => {
      for (let index = 0; ; index++) {
        const id = `${name}${index}`;
        sent.add(id);
        const response = await companion!.post('/api/training/submit', flat(id));
        assert.equal(response.status, 200);
        await response.arrayBuffer();
        acknowledged.add(id);
        if (acknowledged.size === KILLED_AFTER) void companion!.kill();
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, index) => writer(`w${index}n`));
    for (const end of await Promise.allSettled(writers)) {
      assert.equal(end.status, 'rejected');
      assert.ok(!(end.reason instanceof assert.AssertionError), String(end.reason));
    }
    assert.ok(acknowledged.size >= KILLED_AFTER);
    const ids = stored();
    for (const id of acknowledged) assert.ok(ids.has(`flat:${id}`), `${id} was acknowledged and is lost`);

    companion = await CompanionProcess.start([...args, '--no-train']);
    for (const id of sent) assert.equal((await companion.post('/api/training/submit', flat(id))).status, 200);
    const status = await companion.status();
    assert.equal(status.stored, sent.size);
    assert.equal(status.queued + status.heldOut, sent.size);
    await companion.kill('SIGTERM');
  });

  it('in the middle of an update: the events are trained once, after the restart', async () => {
    rmSync(dataDir, { recursive: true, force: true });
    companion = await CompanionProcess.start(args);
    let queued = 0;
    for (let index = 0; queued < 8; index++) {
      const id = `u${index}`;
      await companion.post('/api/training/submit', {
        ...flat(id),
        prompt: `const ${id} = ${'x'.repeat(300)}`,
      });
      queued = (await companion.status()).queued;
    }
    await companion.until((status) => status.state !== 'waiting');
    await companion.kill();
    const before = stored().size;

    companion = await CompanionProcess.start(args);
    const status = await companion.until((s) => s.trained + (s.dropped.updateRejected ?? 0) >= 8);
    assert.equal(status.stored, before);
    const database = new Database(join(dataDir, DATABASE_FILE), { readonly: true });
    const twice = database
      .prepare('SELECT event_id FROM trained GROUP BY event_id HAVING count(*) > 1')
      .all();
    database.close();
    assert.deepEqual(twice, []);
    await companion.kill('SIGTERM');
  });
});
