import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LearnerRequest } from '../../../extension/common/contracts/index.ts';
import type { LearnerUpdated } from '../../../trainer/coordinator/learnerProcess.ts';
import { LearnerSupervisor } from '../../../trainer/coordinator/supervisor.ts';
import { defaultUpdateConfig } from '../../../trainer/learning/config.ts';
import { createLogger } from '../../../trainer/server/shared/logging.ts';
import type { StandInScript } from '../../fixtures/standInLearner.ts';

const ENTRY = join(import.meta.dirname, '../../fixtures/standInLearner.ts');
const SILENCE_MS = 400;

describe('learner process', () => {
  let folder: string;
  let learner: LearnerSupervisor;
  let before: string | undefined;

  const script = (change: Partial<StandInScript>) =>
    writeFileSync(
      join(folder, 'script'),
      JSON.stringify({ update: 'succeed', gain: 0.1, milliseconds: 20, ...change }),
    );

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hone-learner-'));
    before = process.env.STAND_IN_SCRIPT;
    process.env.STAND_IN_SCRIPT = join(folder, 'script');
    script({});
    learner = new LearnerSupervisor({
      entry: ENTRY,
      init: {
        type: 'init',
        modelPath: 'model.gguf',
        gpu: 'cpu',
        threads: 1,
        firstLayer: 2,
        weightType: 'f32',
        endTokens: [0],
        cacheBytes: 0,
      },
      silenceMs: SILENCE_MS,
      logger: createLogger('silent'),
    });
  });

  afterEach(async () => {
    await learner.dispose();
    if (before === undefined) delete process.env.STAND_IN_SCRIPT;
    else process.env.STAND_IN_SCRIPT = before;
    rmSync(folder, { recursive: true });
  });

  let number = 0;
  function request(): Extract<LearnerRequest, { type: 'update' }> {
    number++;
    return {
      type: 'update',
      id: `run-${number}`,
      samples: [{ eventId: 'e', prompt: [1], supervised: { source: 'accepted', tokens: [2], weight: 1 } }],
      parent: { version: 0, path: null, scale: 1 },
      adapters: [{ version: 0, path: null, scale: 1 }],
      candidatePath: join(folder, `adapter-${number}.gguf`),
      candidateVersion: number,
      heldOut: [{ id: 'h', prompt: [1], target: [2, 3] }],
      general: [],
      config: defaultUpdateConfig(3),
      seed: 1,
    };
  }
  const asItCame = (updated: LearnerUpdated) => updated;
  const update = () => learner.update(request(), () => {}, asItCame);

  it('starts with the first update, below normal priority, and stays', async () => {
    assert.equal(learner.pid, null);
    const phases: string[] = [];
    const updated = await learner.update(request(), ({ phase }) => phases.push(phase), asItCame);
    assert.deepEqual([...new Set(phases)], ['train', 'gate']);
    assert.equal(updated.gate.candidate[0]!.tokens, 2);
    assert.equal(learner.ready?.layers, 3);
    const pid = learner.pid!;
    assert.ok(getPriority(pid) >= 10, `priority ${getPriority(pid)}`);
    await update();
    assert.equal(learner.pid, pid);
  });

  const faults: [StandInScript['update'], RegExp][] = [
    ['crash', /ended with code 3/],
    ['hang', /said nothing for 0.4 s/],
    ['garbage', /what no learner says: "Segmentation fault/],
    ['wrongId', /answered another request \(another\)/],
  ];
  for (const [fault, message] of faults)
    it(`fails the update and starts anew after: ${fault}`, async () => {
      script({ update: fault });
      await assert.rejects(update(), { code: 'learner_failed', message });
      assert.equal(learner.pid, null);
      assert.ok(learner.waitMs > 0);
      script({});
      await update();
      assert.notEqual(learner.pid, null);
    });

  it('lives on after an error that it reports itself', async () => {
    script({ update: 'error' });
    await assert.rejects(update(), { message: /out_of_memory.*not enough memory/ });
    const pid = learner.pid;
    assert.notEqual(pid, null);
    script({});
    await update();
    assert.equal(learner.pid, pid);
  });

  for (const start of ['error', 'crash'] as const)
    it(`does not linger after a failed start: ${start}`, async () => {
      script({ start });
      await assert.rejects(update(), { code: 'learner_failed' });
      assert.equal(learner.pid, null);
    });

  it('waits longer after every failure in a row', async () => {
    script({ start: 'crash' });
    const waits: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      await assert.rejects(update());
      waits.push(learner.waitMs);
    }
    assert.ok(waits[1]! > waits[0]! && waits[2]! > waits[1]!, waits.join(', '));
  });

  it('waits after answers that are of no use, too', async () => {
    script({});
    const useless = () => {
      throw new Error('of no use');
    };
    const waits: number[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      await assert.rejects(
        learner.update(request(), () => {}, useless),
        { message: 'of no use' },
      );
      waits.push(learner.waitMs);
    }
    assert.ok(waits[0]! > 0 && waits[1]! > waits[0]!, waits.join(', '));
  });

  it('is killed from outside: the update fails, the next one runs', async () => {
    script({ milliseconds: 2_000 });
    const failing = update();
    while (learner.ready === null) await sleep(5);
    process.kill(learner.pid!, 'SIGKILL');
    await assert.rejects(failing, { message: /was ended by SIGKILL/ });
    script({});
    await update();
  });

  it('does not count a pause as silence', async () => {
    script({ milliseconds: 100 });
    let progress = 0;
    const running = learner.update(request(), () => progress++, asItCame);
    while (progress < 2) await sleep(5);
    learner.setPaused(true);
    await sleep(20);
    const seen = progress;
    await sleep(2 * SILENCE_MS);
    assert.ok(progress <= seen + 1, 'it rests');
    learner.setPaused(false);
    await running;
  });

  it('gives up an update when it is disposed of', async () => {
    script({ milliseconds: 5_000 });
    const failing = assert.rejects(update(), { code: 'learner_failed' });
    while (learner.ready === null) await sleep(5);
    await learner.dispose();
    await failing;
  });
});
