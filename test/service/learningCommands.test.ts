import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlacesResponse, StepResponse } from '../../extension/common/contracts/index.ts';
import { CompanionProcess, runHone } from '../fixtures/companionProcess.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

interface Listed {
  adapters: { version: number; status: string; active: boolean; file: string; collected: boolean }[];
}

describe('hone train and hone adapters', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const common = ['--data-dir', dataDir, '--model', join(folder, 'tiny.gguf'), '--gpu', 'cpu'];
  const computing = ['--threads', '1', '--log-level', 'error'];
  let companion: CompanionProcess | null = null;

  const start = async () => {
    companion = await CompanionProcess.start([...common, ...computing, '--token', 'secret', '--no-train']);
    return companion;
  };
  const feed = async (name: string) => {
    for (let index = 0; index < 6; index++) {
      const body = {
        completionId: `${name}${index}`,
        prompt: `const ${name}${index} = `,
        completion: 'one;',
      };
      const response = await companion!.post('/api/training/submit', { ...body, accepted: true });
      assert.equal(response.status, 200);
    }
  };
  const list = async () =>
    JSON.parse((await runHone(['adapters', 'list', ...common, '--json'])).output) as Listed;

  before(() => void writeTinyModel(join(folder, 'tiny.gguf')));
  after(async () => {
    await companion?.kill();
    rmSync(folder, { recursive: true });
  });

  it('lists nothing and trains nothing where nothing was stored', async () => {
    assert.deepEqual(await list(), { adapters: [] });
    const trained = await runHone(['train', ...common, ...computing, '--json']);
    assert.equal(trained.code, 0, trained.errors);
    assert.deepEqual(JSON.parse(trained.output), { status: 'nothing_to_train', run: null });
  });

  it('trains by itself when no companion runs, with the real learner', async () => {
    await start();
    await feed('a');
    await companion!.kill('SIGTERM');
    const trained = await runHone(['train', ...common, ...computing, '--json']);
    assert.equal(trained.code, 0, trained.errors);
    const { run } = JSON.parse(trained.output) as {
      run: { decision: string; version: number; events: number };
    };
    assert.equal(run.version, 1);
    assert.ok(['promoted', 'provisional', 'rejected'].includes(run.decision), run.decision);
    assert.ok(run.events > 0);
    const { adapters } = await list();
    assert.equal(adapters.length, 1);
    assert.ok(existsSync(join(dataDir, 'checkpoints', adapters[0]!.file)));
  });

  it('trains through the running companion, which wants its token', async () => {
    await start();
    await feed('b');
    const refused = await runHone(['train', ...common, '--json']);
    assert.equal(refused.code, 1);
    assert.match(refused.errors, /wants its token.*--token/);
    const trained = await runHone(['train', ...common, '--token', 'secret']);
    assert.equal(trained.code, 0, trained.errors);
    assert.match(trained.output, /^\d+ events: (promoted|provisional|rejected), version 2\./);
    assert.equal((await list()).adapters.length, 2);
  });

  it('activates through the companion, rolls back, and deletes what is out of service', async () => {
    const through = (...args: string[]) => runHone(['adapters', ...args, ...common, '--token', 'secret']);
    const activated = await through('activate', '2');
    assert.equal(activated.output, 'Version 2 is in service.\n', activated.errors);
    assert.equal((await companion!.status()).adapterVersion, 2);
    const back = await through('rollback', '--json');
    assert.equal((JSON.parse(back.output) as { active: number }).active < 2, true);
    const unknown = await through('activate', '9');
    assert.equal(unknown.code, 1);
    assert.match(unknown.errors, /404.*no adapter 9.*0, 1, 2/);
    assert.equal((await through('gc')).code, 0);
    assert.equal((await list()).adapters.find((row) => row.version === 2)!.collected, true);
  });

  it('activates by itself when no companion runs', async () => {
    await companion!.kill('SIGTERM');
    const alone = (...args: string[]) => runHone(['adapters', ...args, ...common]);
    assert.equal((await alone('activate', '0')).output, 'Version 0 is in service.\n');
    const back = await alone('rollback');
    assert.equal(back.code, 1);
    assert.match(back.errors, /nothing_to_roll_back/);
    const gone = await alone('activate', '2');
    assert.match(gone.errors, /adapter_gone/);
    const shown = await alone('show', '1', '--json');
    assert.equal((JSON.parse(shown.output) as { run: { version: number } }).run.version, 1);
    const lines = (await alone()).output.split('\n');
    assert.match(lines[0]!, /^version {2}parent {2}status {9}λ {2}gain\/token {8}taken {7}p50/);
    assert.match(lines[1]!, /^ {6}0 {7}- {2}base/);
    assert.match(lines[2]!, /^ {6}1 {7}0 {2}(promoted|provisional|rejected|rolledBack) +[01]\.\d\d /);
  });

  it('tells wrong usage from failure', async () => {
    assert.equal((await runHone(['adapters', 'show', 'newest', ...common])).code, 2);
    assert.equal((await runHone(['adapters', 'show', ...common])).code, 2);
    const unknown = await runHone(['adapters', 'show', '0', ...common]);
    assert.equal(unknown.code, 1);
    assert.match(unknown.errors, /no adapter 0 to show. Versions: 1, 2/);
    assert.equal((await runHone(['train', '--colour', ...common])).code, 2);
    assert.equal((await runHone(['train', '--help'])).code, 0);
  });

  it('learns from the files of a folder, and from each place once', async () => {
    const code = join(folder, 'code');
    mkdirSync(code);
    for (let file = 0; file < 9; file++)
      writeFileSync(
        join(code, `file${file}.ts`),
        Array.from({ length: 20 }, (_, i) => `export const value${i} = compute(${i}, ${file});\n`).join(''),
      );
    const own = ['--data-dir', join(folder, 'learned'), '--model', join(folder, 'tiny.gguf'), '--gpu', 'cpu'];
    const learn = (...options: string[]) => runHone(['learn', code, ...own, '--places', '24', ...options]);
    const alone = await learn();
    assert.match(alone.errors, /No companion runs on .* hone serve \[unreachable\]/);
    companion = await CompanionProcess.start([...own, ...computing, '--token', 'secret', '--no-train']);
    const token = ['--token', 'secret'];
    const { stored, heldOut, known } = JSON.parse((await learn('--json', ...token)).output) as PlacesResponse;
    assert.ok(stored + heldOut > 12 && known === 0, `${stored}, ${heldOut}, ${known}`);
    assert.ok(stored > heldOut && heldOut > 0, `${stored} and ${heldOut}`);
    assert.match(
      (await learn(...token)).output,
      /^0 places are learned from, 0 held out .*, \d\d were known/,
    );
    const { run } = JSON.parse((await runHone(['train', ...own, ...token, '--json'])).output) as StepResponse;
    assert.equal(run!.events, stored);
    assert.ok(run!.figures['losses/correction_loss']! > 0 && run!.figures['losses/context_loss']! > 0);
    assert.equal(run!.figures['gate/held_out'], heldOut);
    for (const tag of ['losses/policy_loss', 'rollout/accept_rate'])
      assert.equal(run!.figures[tag], undefined, 'nobody was shown anything');
    await companion.kill('SIGTERM');
  });
});
