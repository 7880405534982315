import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { configSchema } from '../../trainer/config/schema.ts';
import { lockstepConfig } from '../../trainer/replay/arms.ts';
import { HttpCompanion } from '../../trainer/replay/companion.ts';
import { readSourceFiles } from '../../trainer/replay/files.ts';
import { DEFAULT_HABITS } from '../../trainer/replay/habits.ts';
import { honeEntry, startServices } from '../../trainer/replay/services.ts';
import type { ReplayReport } from '../../trainer/replay/report.ts';
import { runStream, type StreamResult } from '../../trainer/replay/stream.ts';
import { contextFrom, workspaceOf } from '../../trainer/replay/workspace.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

const run = promisify(execFile);
const EVENTS = 24;

describe('replay through the services', () => {
  let folder: string;
  let code: string;
  let modelPath: string;

  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'hone-replay-test-'));
    modelPath = path.join(folder, 'tiny.gguf');
    writeTinyModel(modelPath, { context: 1024 });
    code = path.join(folder, 'code');
    mkdirSync(code);
    for (const name of ['first', 'second', 'third', 'fourth']) {
      const lines = Array.from(
        { length: 30 },
        (_, i) => `export const ${name}Value${i} = scale(${i}, '${name}');`,
      );
      writeFileSync(
        path.join(code, `${name}.ts`),
        `import { scale } from './scale.js';\n\n${lines.join('\n')}\n`,
      );
    }
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  /** One seed's stream with learning on services of its own. */
  async function stream(name: string, seed: number): Promise<StreamResult & { adapter: string }> {
    const dataDir = path.join(folder, name);
    mkdirSync(dataDir);
    const configPath = path.join(dataDir, 'config.json');
    writeFileSync(configPath, JSON.stringify(lockstepConfig(configSchema.parse({}), 'both', seed)));
    const services = await startServices({
      dataDir,
      modelPath,
      configPath,
      gpu: 'cpu',
      threads: 1,
      logLevel: 'warn',
    });
    try {
      const companion = new HttpCompanion(services.address);
      const files = await readSourceFiles(code);
      const result = await runStream(companion, {
        files,
        events: EVENTS,
        habits: DEFAULT_HABITS,
        seed,
        train: true,
        batchEvents: 8,
        context: contextFrom(workspaceOf(files)),
        displayFilter: true,
      });
      const { path: file } = await companion.adapter();
      assert.ok(file !== null, services.log());
      return { ...result, adapter: createHash('sha256').update(readFileSync(file)).digest('hex') };
    } finally {
      await services.stop();
    }
  }

  it('trains while it types, and does the same with the same seed', async () => {
    const first = await stream('first', 5);
    const again = await stream('again', 5);
    assert.ok(first.runs.length >= 2, JSON.stringify(first.runs));
    assert.ok(new Set(first.exchanges.map((exchange) => exchange.adapterVersion)).size >= 2);
    const facts = (result: StreamResult) => ({
      exchanges: result.exchanges.map(({ completionId: _id, ...exchange }) => exchange),
      events: result.events.map(({ completionId: _id, ...event }) => event),
      runs: result.runs.map(({ events, decision, version, figures }) => ({
        events,
        decision,
        version,
        figures,
      })),
    });
    assert.deepEqual(facts(again), facts(first));
    assert.equal(again.adapter, first.adapter);
  }).timeout(240_000);

  it('is a command: report on files that were never typed', async () => {
    const reportPath = path.join(folder, 'report.json');
    const { stdout } = await run(process.execPath, [
      honeEntry(),
      ...['replay', code, '--model', modelPath, '--gpu', 'cpu', '--threads', '1'],
      ...['--events', '10', '--batch-events', '4', '--positions', '4', '--served', '1'],
      ...['--arms', 'base,both', '--report', reportPath, '--learn-first', '12'],
    ]);
    assert.match(stdout, /log-probability of what was typed/);
    const report = JSON.parse(readFileSync(reportPath, 'utf8')) as ReplayReport;
    assert.deepEqual([...report.streamedFiles, ...report.heldOutFiles].toSorted(), [
      'first.ts',
      'fourth.ts',
      'second.ts',
      'third.ts',
    ]);
    const [base, both] = report.results;
    assert.equal(base!.adapterVersion, 0);
    assert.equal(base!.heldOut.logprob.difference, 0);
    assert.ok(both!.adapterVersion > 0);
    const [taught, typed] = both!.runs;
    assert.ok(taught!.events >= 4 && taught!.figures['losses/policy_loss'] === undefined);
    assert.ok(typed!.figures['losses/policy_loss'] !== undefined);
    assert.ok(both!.heldOut.logprob.difference > 0, 'an idiom on every line is learnt');
    assert.equal(both!.heldOut.logprob.before, base!.heldOut.logprob.before);
  }).timeout(240_000);

  it('is what npm start runs, in words that need no manual', async () => {
    const start = path.join(import.meta.dirname, '..', '..', 'scripts', 'start.ts');
    const { stdout } = await run(process.execPath, [
      start,
      ...['--folder', code, '--model', modelPath, '--gpu', 'cpu', '--events', '24'],
    ]);
    assert.match(stdout, /update 1: \d+ events, \d+ s, adapter 1/);
    assert.match(stdout, /log-probability of what was typed, nats a token +-\d/);
    assert.match(stdout, /In service: adapter 1 /);
    const [, reportPath] = /(\S+report\.json)/.exec(stdout)!;
    rmSync(path.dirname(reportPath!), { recursive: true });
  }).timeout(240_000);

  it('says what is wrong with its options', async () => {
    const wrong = (...options: string[]) =>
      run(process.execPath, [honeEntry(), 'replay', code, ...options]).then(
        () => assert.fail('it was accepted'),
        (error: { stderr: string; code: number }) => error,
      );
    assert.match(
      (await wrong('--arms', 'everything')).stderr,
      /no arm "everything".*base, correction, ppo, tapered, episodes, rlinf, both, general/,
    );
    assert.match(
      (await wrong('--holdout', 'elsewhere/**')).stderr,
      /^hone: .*nothing to measure on.*\[invalid_request\]/,
    );
    const noFolder = path.join(folder, 'nowhere', 'report.json');
    assert.match(
      (await wrong('--report', noFolder)).stderr,
      /^hone: --report: .*nowhere.*\[invalid_request\]/,
      'before anything is measured',
    );
    assert.match((await wrong('--seeds', '1,x')).stderr, /"x" is no seed/);
    assert.match((await wrong('--url', 'http://127.0.0.1:1')).stderr, /--feedback-url/);
    assert.equal((await wrong('--events', '0')).code, 2);
  });
});
