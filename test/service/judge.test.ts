import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runHone } from '../fixtures/companionProcess.ts';
import { prepareJudgeRun, type JudgeRun } from '../fixtures/judgeRun.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';

const MAIN = join(import.meta.dirname, '../../trainer/main.ts');
const POLL_MS = 5;
/** Long enough that random weights now and then write a character of the solution, so that groups differ. */
const ROLLOUT = { groupSize: 4, promptsPerStep: 3, maxTokens: 24 };
/** Step after which a run is killed, and how long after it. */
const KILLS = [
  [1, 0],
  [3, 30],
  [6, 80],
] as const;
const KILLED_EPOCHS = 8;

describe('hone judge', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  after(() => rmSync(folder, { recursive: true }));
  let runs = 0;
  const prepare = (options: Record<string, object> = {}): JudgeRun =>
    prepareJudgeRun(folder, `run${++runs}`, {
      rollout: ROLLOUT,
      reward: { judge: 'similarity' },
      ...options,
    });
  const files = (run: JudgeRun): string[] =>
    readdirSync(join(run.outputDir, 'checkpoints')).map((name) => name.slice('global_step_'.length));

  it('learns, validates before, during and after, and leaves log, curves and checkpoints', async () => {
    const run = prepare({ schedule: { epochs: 2.5, validateEvery: 2, saveEvery: 2 } });
    const ended = await runHone(['judge', '--config', run.configPath, '--log-level', 'error', '--json']);
    assert.equal(ended.code, 0, ended.errors);
    const result = JSON.parse(ended.output) as Awaited<ReturnType<JudgeRun['run']>>;
    assert.equal(result.steps, 5);
    assert.deepEqual(
      result.curve.map(({ step }) => step),
      [0, 2, 4, 5],
    );
    assert.deepEqual(Object.keys(result.validation), ['similarity', 'exact']);
    assert.equal(result.validation.similarity!.files, 4);
    assert.equal(result.groups.sampled, 15);
    assert.equal(result.verdicts.training.scored, 60);
    assert.equal(result.adapter, join(run.outputDir, 'checkpoints', 'global_step_5', 'adapter.gguf'));
    assert.deepEqual(files(run).sort(), ['2', '4', '5']);
    const state = JSON.parse(
      readFileSync(join(run.outputDir, 'checkpoints', 'global_step_5', 'state.json'), 'utf8'),
    ) as Record<string, unknown>;
    assert.deepEqual(state.cursor, { epoch: 2, item: 3 });
    assert.deepEqual(state.random, { seed: 1, step: 5 });
    const metrics = readFileSync(join(run.outputDir, 'metrics.jsonl'), 'utf8').trim().split('\n');
    const steps = metrics.map(
      (line) => JSON.parse(line) as { step: number; scalars: Record<string, number> },
    );
    assert.deepEqual(
      steps.map(({ step }) => step),
      [0, 1, 2, 2, 3, 4, 4, 5, 5],
    );
    for (const tag of ['losses/policy_loss', 'losses/kl_to_base', 'rollout/reward_mean', 'time/step'])
      assert.ok(steps[1]!.scalars[tag] !== undefined, tag);
    assert.ok(steps[0]!.scalars['validation/similarity'] !== undefined);
    assert.ok(readdirSync(join(run.outputDir, 'tensorboard')).some((name) => name.includes('tfevents')));
    assert.match(readFileSync(join(run.outputDir, 'train.log'), 'utf8'), /Step 5 of 5: reward 0\.\d+/);
    // Ended runs are told again, not made again.
    const again = await run.run();
    assert.deepEqual([again.resumedFrom, again.validation], [5, result.validation]);
  });

  it('that was killed comes to the same adapter, bit for bit', async () => {
    const schedule = { epochs: KILLED_EPOCHS, validateEvery: 4 };
    const whole = prepare({ schedule });
    const expected = await whole.run();
    const last = expected.steps;
    assert.ok(expected.groups.zeroVariance < expected.groups.sampled, 'no group taught anything');
    const killed = prepare({ schedule });
    const command = [MAIN, 'judge', '--config', killed.configPath, '--log-level', 'error'];
    // While the model loads, while it samples, while it learns: at once after a step is kept, and a little later.
    for (const [step, extraMs] of KILLS) {
      const child = spawn(process.execPath, command, { stdio: 'ignore' });
      const closed = once(child, 'close');
      const state = join(killed.outputDir, 'checkpoints', `global_step_${step}`, 'state.json');
      while (!existsSync(state) && child.exitCode === null) await pause(POLL_MS);
      await pause(extraMs);
      child.kill('SIGKILL');
      const [, signal] = (await closed) as [number | null, string | null];
      assert.equal(signal, 'SIGKILL', `the run ended before it was killed after step ${step}`);
    }
    // Half of a step, as a kill in the middle of an update leaves it.
    const half = join(killed.outputDir, 'checkpoints', 'global_step_99');
    mkdirSync(half, { recursive: true });
    writeFileSync(join(half, 'adapter.gguf'), 'half');
    const result = await killed.run();
    assert.ok(result.resumedFrom >= 6, `resumed after step ${result.resumedFrom}`);
    assert.equal(result.steps, last);
    assert.deepEqual(killed.adapter(last), whole.adapter(last));
    assert.deepEqual(result.curve, expected.curve);
    assert.deepEqual(result.groups, expected.groups);
    // Another seed comes to another adapter: the comparison can fail.
    const other = join(whole.folder, 'other');
    const options = ['--seed', '2', '--output', other, '--log-level', 'error'];
    const ended = await runHone(['judge', '--config', whole.configPath, ...options]);
    assert.equal(ended.code, 0, ended.errors);
    const [bytes] = whole.adapter(last);
    const path = join(other, 'checkpoints', `global_step_${last}`, 'adapter.gguf');
    assert.notEqual(readFileSync(path).toString('base64'), bytes);
  });

  it('makes a run longer, and refuses another one in its folder', async () => {
    const run = prepare({ schedule: { epochs: 1 } });
    assert.equal((await run.run()).steps, 2);
    run.config.schedule.epochs = 2;
    const longer = await run.run();
    assert.deepEqual([longer.resumedFrom, longer.steps], [2, 4]);
    run.config.update.learningRate = 0.02;
    await assert.rejects(run.run(), /holds a run with another model, other data or another configuration/);
  });

  it('refuses data of which the validation is part of the training, unless told to go on', async () => {
    const run = prepare({ schedule: { maxSteps: 0 } });
    const { trainPaths, validationPaths } = run.config.data;
    const training = readFileSync(trainPaths[0]!, 'utf8').split('\n');
    writeFileSync(validationPaths[0]!, `${readFileSync(validationPaths[0]!, 'utf8')}\n${training[2]}`);
    await assert.rejects(run.run(), (error: Error & { code: string }) => {
      assert.equal(error.code, 'data_leaks');
      assert.match(error.message, /1 of 5 .*validation\.jsonl:5 is like .*train\.jsonl:3 \(1\.00\)/);
      return true;
    });
    run.config.data.allowLeakage = true;
    const said: string[] = [];
    const result = await run.run({}, { say: (text) => void said.push(text) });
    assert.equal(result.leaks, 1);
    assert.match(said[0]!, /^Warning: 1 of 5/);
    assert.equal(result.adapter, null);
  });

  it('judges as many drawn completions of each validation prompt as it is told to', async () => {
    const scored = async (rollout: object): Promise<(number | null)[]> => {
      const run = prepare({ rollout: { ...ROLLOUT, ...rollout }, schedule: { maxSteps: 0 } });
      const { verdicts, validation } = await run.run();
      return [verdicts.validation[0]!.similarity!.scored, validation.similarity!.before];
    };
    const [single, three] = [await scored({}), await scored({ validationSamples: 3 })];
    assert.deepEqual([single[0], three[0]], [4, 12]);
    assert.notEqual(single[1], three[1], 'the mean of three drawn ones is another score');
  });

  it('learns nothing from groups in which nothing differs, and says so', async () => {
    const run = prepare({ reward: { judge: 'exact' }, schedule: { epochs: 1 } });
    const result = await run.run();
    assert.deepEqual(result.groups, { sampled: 6, zeroVariance: 6, tooFewVerdicts: 0 });
    assert.equal(result.adapter, null);
  });

  it('says which file it needs', async () => {
    const run = prepare();
    const missing = join(run.folder, 'empty.yaml');
    writeFileSync(missing, 'judge: { outputDir: out }\n');
    const needs = await runHone(['judge', '--config', missing]);
    assert.equal(needs.code, 1);
    assert.match(needs.errors, /judge\.data\.trainPaths/);
  });
});
