import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import Database from 'better-sqlite3';
import { v7 as newId } from 'uuid';
import type { DataScope, StepResponse } from '../../extension/common/contracts/index.ts';
import { DATABASE_FILE } from '../../trainer/store/database.ts';
import { CompanionProcess } from '../fixtures/companionProcess.ts';
import { outcomeEvent } from '../fixtures/records.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { unlisted } from '../fixtures/telemetry.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

/** Typed by the developer, and nowhere else in the world. */
const CANARY = 'quetzalcoatlXiuhtecuhtli';
const TOKEN_BYTES = 4;
/** Tokens at the end of a prompt that are looked for as the blob that they are stored as. */
const TAIL_TOKENS = 8;
const EVENTS = 12;
const ERASE_AND_DIE = join(import.meta.dirname, '../fixtures/eraseAndDie.ts');

describe('the bytes of deleted data', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  const model = join(folder, 'tiny.gguf');
  /** Learned from, as it was left. */
  const learned = join(folder, 'learned');
  let tokens: Buffer;
  let companion: CompanionProcess | null = null;

  const start = (dataDir: string) =>
    CompanionProcess.start([
      ...['--model', model, '--data-dir', dataDir, '--token', 'secret', '--batch-events', '500'],
      ...['--gpu', 'cpu', '--threads', '1', '--log-level', 'error'],
    ]);
  const filesWith = (dataDir: string, bytes: Buffer | string): string[] =>
    readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(bytes));
  /** What the base model makes of the code that ships with Hone. */
  const isGeneral = (path: string): boolean => path.includes('cache');
  const adapters = (dataDir: string): string[] =>
    filesWith(dataDir, 'GGUF').filter((path) => !isGeneral(relative(dataDir, path)));
  /** Names of adapters, curves and logs of updates. */
  const learnings = (dataDir: string): string[] =>
    readdirSync(dataDir, { recursive: true })
      .map(String)
      .filter((name) => /gguf|metrics|train\.log|tfevents/.test(name) && !isGeneral(name));
  const assertGone = (dataDir: string): void => {
    for (const bytes of [CANARY, CANARY.toLowerCase(), tokens])
      assert.deepEqual(filesWith(dataDir, bytes), []);
    const database = new Database(join(dataDir, DATABASE_FILE), { readonly: true });
    for (const table of [
      'completions',
      'events',
      'outcomes',
      'corrections',
      'retentions',
      'trained',
      'runs',
      'adapters',
    ])
      assert.equal(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), 0, table);
    assert.equal(database.prepare('SELECT count(*) FROM meta').pluck().get(), 0, 'nothing is left to do');
    database.close();
    assert.deepEqual(learnings(dataDir), []);
  };
  const erase = async (path: string): Promise<void> => {
    const response = await fetch(`${companion!.ready.feedback}${path}`, {
      method: 'DELETE',
      headers: { authorization: 'Bearer secret' },
    });
    assert.equal(response.status, 200, await response.text());
  };

  before(async () => {
    writeTinyModel(model);
    companion = await start(learned);
    for (let index = 0; index < EVENTS; index++) {
      const prompt = `function ${CANARY}${index}(value) {\n  return ${'x'.repeat(200 * index)}${CANARY}.`;
      const request = { prompt, suffix: '\n}', path: `src/${CANARY}.ts`, workspace: 'w', max_tokens: 4 };
      const { id, text } = await companion.complete({ ...request, offset: prompt.length, session: 's' });
      const shownText = text === '' ? 'shown' : text;
      const workspaceKey = 'w';
      const outcome = outcomeEvent(
        { id },
        { kind: 'rejected', how: 'typedAgainst' },
        { shownText, workspaceKey },
      );
      const correction = {
        v: 1,
        id: newId(),
        completionId: id,
        at: 1,
        kind: 'correction',
        typed: `${CANARY}(${index})`,
      };
      await companion.post('/api/training/submit', { v: 1, events: [outcome, correction] });
    }
    const { run } = (await (await companion.post('/api/training/step', {})).json()) as StepResponse;
    assert.ok(run!.version === 1 && run!.events > 0, JSON.stringify(run));
    // Killed, so that the log of the database is as a crash leaves it.
    await companion.kill();
    companion = null;
    const database = new Database(join(learned, DATABASE_FILE));
    const prompt = database.prepare('SELECT prompt_tokens FROM completions LIMIT 1').pluck().get() as Buffer;
    database.close();
    tokens = prompt.subarray(-TAIL_TOKENS * TOKEN_BYTES);
    const names = filesWith(learned, '').map((path) => relative(learned, path).replaceAll('\\', '/'));
    assert.deepEqual(unlisted(names.map((name) => `companion/${name}`)), [], 'TELEMETRY.md lists every file');
    for (const bytes of [CANARY, tokens])
      assert.notDeepEqual(filesWith(learned, bytes), [], 'or nothing could fail');
  });
  afterEach(async () => {
    await companion?.kill();
    companion = null;
  });
  after(() => rmSync(folder, { recursive: true }));

  const copy = (name: string): string => {
    cpSync(learned, join(folder, name), { recursive: true });
    return join(folder, name);
  };

  it('are in no file when everything is deleted, while the companion runs', async () => {
    const dataDir = copy('all');
    companion = await start(dataDir);
    await companion.complete({ prompt: `const ${CANARY} = `, max_tokens: 2 });
    await erase('/api/data?all=true');
    assertGone(dataDir);
    assert.equal((await companion.status()).adapterVersion, 0);
    assert.equal((await companion.complete({ prompt: 'const a = ', max_tokens: 2 })).adapterVersion, 0);
  });

  it('are in no file when the only workspace is deleted', async () => {
    const dataDir = copy('workspace');
    companion = await start(dataDir);
    await erase('/api/data?workspace=w');
    for (const bytes of [CANARY, tokens]) assert.deepEqual(filesWith(dataDir, bytes), []);
    assert.deepEqual(adapters(dataDir), []);
    assert.equal((await companion.status()).stored, 0);
  });

  const killed = (dataDir: string, scope: DataScope, stage: string): void => {
    const args = [ERASE_AND_DIE, dataDir, JSON.stringify(scope), stage];
    const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.equal(signal, 'SIGKILL', stderr);
  };

  for (const stage of ['rows', 'files', 'bytes'])
    it(`are cleared by the next start when the process is killed after the ${stage}`, async () => {
      const dataDir = copy(`killed-${stage}`);
      killed(dataDir, { kind: 'all' }, stage);
      if (stage === 'rows')
        assert.notDeepEqual(filesWith(dataDir, CANARY), [], 'or there was nothing left to do');
      companion = await start(dataDir);
      assertGone(dataDir);
    });

  it('are cleared by the next start when it was killed while it forgot one suggestion', async () => {
    const dataDir = copy('killed-event');
    const database = new Database(join(dataDir, DATABASE_FILE));
    const id = database.prepare('SELECT event_id FROM trained LIMIT 1').pluck().get() as string;
    const typed = database
      .prepare(
        'SELECT typed FROM corrections JOIN outcomes USING (completion_id) WHERE outcomes.event_id = ?',
      )
      .pluck()
      .get(id) as string;
    const learnedFrom = database.prepare('SELECT count(*) FROM trained').pluck().get() as number;
    database.close();
    killed(dataDir, { kind: 'event', id }, 'rows');
    companion = await start(dataDir);
    assert.deepEqual(filesWith(dataDir, typed), []);
    assert.deepEqual(adapters(dataDir), [], 'the adapter that learned from it is gone');
    assert.deepEqual(learnings(dataDir), [], 'and its figures');
    const { adapterVersion, queued } = await companion.status();
    assert.deepEqual([adapterVersion, queued], [0, learnedFrom - 1], 'the others are learned from again');
  });
});
