import assert from 'node:assert/strict';
import { LearningPause } from '../../trainer/coordinator/pause.ts';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StepResponse } from '../../extension/common/contracts/index.ts';
import { boardFolder, METRICS_FILE, TRAIN_LOG_FILE } from '../../trainer/board/board.ts';
import { learnerEntry } from '../../trainer/coordinator/learnerEntry.ts';

import { adapterFiles, openLearningService, type LearningService } from '../fixtures/learningService.ts';
import { correctionEvent, outcomeEvent, place } from '../fixtures/records.ts';
import { openTinyEngine, request, type TinyEngine } from '../fixtures/tinyEngine.ts';

const BATCH = 4;

describe('coordinator', () => {
  let tiny: TinyEngine;
  let service: LearningService;

  const open = async (settings: object = {}, options: object = {}) => {
    service = await openLearningService(settings, { tiny, ...options });
    return service;
  };
  const step = async () => (await service.call('POST', '/api/training/step')).body as unknown as StepResponse;
  const decided = (count: number) =>
    service.until(() => service.store.runs.list().filter((run) => run.decision !== 'failed').length >= count);
  const trainedEvents = () => service.log().flatMap((line) => line.eventIds);

  beforeEach(async () => {
    tiny = await openTinyEngine();
  });
  afterEach(async () => {
    await service.close();
    await tiny.close();
  });

  describe('closing the loop', () => {
    it('waits for a whole batch, trains it once, and serves the new version', async () => {
      await open();
      const events = await service.accept(BATCH - 1);
      await sleep(100);
      assert.equal((await service.status()).state, 'waiting');
      assert.equal(service.log().length, 0);
      events.push(...(await service.accept(1)));
      const status = await service.until((s) => s.adapterVersion === 1 && s.state === 'idle');
      assert.equal(status.trained, BATCH);
      assert.equal(status.queued, 0);
      assert.equal(status.lastRun!.events, BATCH);
      assert.equal(status.lastRun!.version, 1);
      assert.equal(status.lastRun!.decision, 'provisional', 'nothing is held out yet');
      assert.deepEqual(
        ['lower', 'reference', 'train', 'gate', 'swap'].filter(
          (phase) => !(phase in status.lastRun!.seconds),
        ),
        [],
      );
      assert.deepEqual(
        trainedEvents(),
        events.map((event) => event.id),
      );
      assert.equal(tiny.engine.adapter.version, 1);
      const curves = join(boardFolder(service.dataDir), 'default');
      const lines = readFileSync(join(curves, METRICS_FILE), 'utf8').trim().split('\n');
      const { step, scalars } = JSON.parse(lines[0]!) as { step: number; scalars: Record<string, number> };
      assert.equal(step, 1);
      for (const tag of ['losses/policy_loss', 'gate/kl_general', 'status/trained', 'time/swap'])
        assert.ok(tag in scalars, tag);
      assert.ok(readdirSync(curves).some((name) => name.startsWith('events.out.tfevents.')));
    });

    it('builds each version on the one in service and names the adapters that served', async () => {
      await open();
      await service.accept(BATCH);
      await service.until((s) => s.adapterVersion === 1);
      for (let index = 0; index < BATCH; index++)
        await service.submit(outcomeEvent(service.completion({ adapterVersion: 1 }), { kind: 'accepted' }));
      const { lastRun } = await service.until((s) => s.adapterVersion === 2);
      assert.equal(lastRun!.figures['rollout/version_lag'], 0);
      const [first, second] = service.log();
      assert.equal(first!.request.parent.version, 0);
      assert.equal(second!.request.parent.version, 1);
      assert.ok(existsSync(second!.request.parent.path!));
      assert.deepEqual(
        second!.request.adapters.map((adapter) => adapter.version),
        [1],
      );
      assert.equal(service.store.adapters.get(2)!.parent, 1);
    });

    it('teaches general code beside the events, which are counted alone', async () => {
      await open({ generalShare: 0.5 });
      const events = await service.accept(BATCH);
      const { trained, lastRun } = await service.until((status) => status.adapterVersion === 1);
      assert.deepEqual([trained, lastRun!.events], [BATCH, BATCH]);
      const taught = trainedEvents();
      assert.deepEqual(
        taught.slice(0, BATCH),
        events.map((event) => event.id),
      );
      assert.equal(taught.length, 1.5 * BATCH);
      for (const id of taught.slice(BATCH)) assert.match(id, /^general:/);
    });

    it('takes the baseline off the rewards of the next batch', async () => {
      await open();
      await service.accept(2 * BATCH);
      await service.until((s) => s.trained === 2 * BATCH);
      const advantages = service.log().map((line) => line.request.samples[0]!.policy!.advantage);
      assert.equal(advantages[0], 0.75);
      assert.ok(advantages[1]! < 0.75 && advantages[1]! > 0, String(advantages[1]));
    });

    it('lets requests in flight end under the old version', async () => {
      await open();
      const versions: number[] = [];
      let stop = false;
      const typing = (async () => {
        while (!stop)
          versions.push((await tiny.engine.generate(request(tiny.engine, 'const a'))).adapterVersion);
      })();
      await service.accept(BATCH);
      await service.until((s) => s.adapterVersion === 1 && s.state === 'idle');
      stop = true;
      await typing;
      versions.push((await tiny.engine.generate(request(tiny.engine, 'const a'))).adapterVersion);
      assert.deepEqual([...new Set(versions)], [0, 1]);
    });

    it('raises an alarm when serving and training disagree', async () => {
      await open();
      service.script({ figures: { 'rollout/engine_logprob_diff': 0.4 } });
      await service.accept(BATCH);
      const status = await service.until((s) => s.adapterVersion === 1 && s.state === 'idle');
      assert.equal(status.lastRun!.figures['alarm/engineMismatch'], 1);
      assert.equal(status.lastRun!.figures['alarm/fewEffectiveSamples'], 0);
      const log = readFileSync(join(boardFolder(service.dataDir), 'default', TRAIN_LOG_FILE), 'utf8');
      assert.match(log, /Alarm\. Serving and training differ by 0\.400 nats/);
    });

    it('drops the policy term of completions served too many versions ago, and counts it', async () => {
      await open({ maxAdapterLag: 0 });
      await service.accept(BATCH);
      await service.until((s) => s.adapterVersion === 1);
      await service.accept(BATCH);
      const status = await service.until((s) => s.adapterVersion === 2);
      assert.equal(status.dropped.policyTooOld, BATCH);
      assert.equal(status.lastRun!.figures['rollout/policy_too_old'], BATCH);
      assert.ok(service.log()[1]!.request.samples.every((sample) => sample.policy === undefined));
      assert.ok(service.log()[1]!.request.samples.every((sample) => sample.supervised !== undefined));
    });
  });

  describe('the gate', () => {
    const holdOut = async (count: number) => {
      for (let index = 0; index < count; index++) {
        const record = service.completion(place(index, true));
        await service.submit(outcomeEvent(record, { kind: 'rejected', how: 'typedAgainst' }));
        await service.submit(correctionEvent(record.id, `let typed${index} = 1;`));
      }
    };

    it('scores what was typed at held-out places and never trains on it', async () => {
      await open();
      await holdOut(3);
      await service.accept(BATCH);
      const status = await service.until((s) => s.adapterVersion === 1);
      assert.equal(status.heldOut, 3);
      assert.equal(status.trained, BATCH);
      assert.equal(status.lastRun!.figures['gate/held_out'], 3);
      const [line] = service.log();
      assert.equal(line!.request.heldOut.length, 3);
      assert.equal(tiny.engine.detokenize(line!.request.heldOut[0]!.target).slice(0, 9), 'let typed');
      assert.ok(line!.request.general.length >= 20);
      const held = new Set(line!.request.heldOut.map((item) => item.id));
      assert.ok(line!.eventIds.every((id) => !held.has(id)));
    });

    it('proves a gain once enough is held out', async () => {
      await open({ gate: { minHeldOut: 5 } });
      await holdOut(5);
      await service.accept(BATCH);
      const status = await service.until((s) => s.adapterVersion === 1);
      assert.equal(status.lastRun!.decision, 'promoted');
      assert.equal(service.store.adapters.get(1)!.status, 'promoted');
    });

    it('keeps a worse candidate out of service, with its numbers and its file', async () => {
      await open();
      service.script({ gain: -0.5 });
      await holdOut(2);
      await service.accept(BATCH);
      await decided(1);
      const status = await service.until((s) => s.state === 'idle');
      assert.equal(status.adapterVersion, 0);
      assert.equal(tiny.engine.adapter.version, 0);
      assert.equal(status.lastRun!.decision, 'rejected');
      assert.match(status.lastRun!.reason, /-0\.5/);
      assert.equal(status.dropped.updateRejected, BATCH);
      const row = service.store.adapters.get(1)!;
      assert.equal(row.status, 'rejected');
      assert.ok(existsSync(join(service.store.adapterDir, row.file)));
      await service.accept(BATCH);
      await decided(2);
      assert.equal(service.log()[1]!.request.parent.version, 0, 'the next one starts from what serves');
      assert.deepEqual(service.coordinator.collect().versions, [1, 2]);
      assert.equal(existsSync(join(service.store.adapterDir, row.file)), false);
    });
  });

  describe('train now', () => {
    it('settles what is open and answers when the update is decided', async () => {
      await open({ acceptAtOnce: false, batchEvents: 100 });
      await service.submit(outcomeEvent(service.completion(), { kind: 'accepted' }));
      await service.submit(outcomeEvent(service.completion(), { kind: 'rejected', how: 'escape' }));
      const before = await service.status();
      assert.deepEqual([before.queued, before.open], [0, 2]);
      const { status, run } = await step();
      assert.equal(status, 'done');
      assert.equal(run!.events, 2);
      assert.equal((await service.status()).adapterVersion, 1);
    });

    it('keeps events that a later fact may still teach', async () => {
      await open({ batchEvents: 100 });
      const record = service.completion();
      await service.submit(outcomeEvent(record, { kind: 'ignored', shownMs: 10 }));
      assert.deepEqual(await step(), { status: 'nothing_to_train', run: null });
      await service.submit(correctionEvent(record.id, 'two;'));
      assert.equal((await step()).run!.events, 1);
    });

    it('says so when there is nothing', async () => {
      await open();
      assert.deepEqual(await step(), { status: 'nothing_to_train', run: null });
    });

    it('waits for an update under way and tells its result', async () => {
      await open();
      service.script({ milliseconds: 300 });
      await service.accept(BATCH);
      await service.until((s) => s.state === 'training');
      const { status, run } = await step();
      assert.equal(status, 'done');
      assert.equal(run!.version, 1);
      assert.equal(service.log().length, 1);
    });

    it('is the only way to an update while learning is paused, also after a restart', async () => {
      service = await openLearningService();
      assert.equal((await service.call('POST', '/api/training/pause')).status, 200);
      await service.accept(4);
      const paused = await service.status();
      assert.deepEqual([paused.state, paused.pausedByUser, paused.queued], ['paused', true, 4]);
      assert.equal(new LearningPause(service.dataDir).on, true);
      await service.call('POST', '/api/training/step');
      assert.equal((await service.status()).trained, 4);
      await service.accept(4);
      assert.equal((await service.status()).queued, 4);
      await service.call('POST', '/api/training/resume');
      await service.until(({ trained }) => trained === 8);
      assert.equal((await service.status()).pausedByUser, false);
      assert.equal(new LearningPause(service.dataDir).on, false);
    });

    it('works where nothing is trained by itself', async () => {
      await open({}, { automatic: false });
      await service.accept(BATCH);
      await sleep(100);
      assert.equal((await service.status()).state, 'paused');
      assert.equal(service.log().length, 0);
      assert.equal((await step()).run!.version, 1);
    });
  });

  describe('when the learner fails', () => {
    for (const fault of ['crash', 'garbage', 'error', 'noFile', 'wrongId'] as const)
      it(`loses no event and trains each once: ${fault}`, async () => {
        await open();
        service.script({ update: fault });
        const events = await service.accept(BATCH);
        const failed = await service.until((s) => s.state === 'error' && s.lastRun !== null);
        assert.equal(failed.queued, BATCH);
        assert.equal(failed.lastRun!.decision, 'failed');
        assert.ok(failed.error!.length > 20, failed.error);
        service.script();
        const status = await service.until((s) => s.adapterVersion === 1 && s.state === 'idle');
        assert.equal(status.trained, BATCH);
        assert.equal(status.error, undefined);
        for (const event of events) assert.equal(service.store.runs.runsOf(event.id).length, 1);
        assert.deepEqual(
          adapterFiles(service.store),
          [service.store.adapters.get(1)!.file],
          'no file of the failed attempts is left',
        );
      });

    it('is killed in the middle of an update: the same events are trained by the next one', async () => {
      await open();
      service.script({ milliseconds: 3_000 });
      const events = await service.accept(BATCH);
      await service.until((s) => s.state === 'training' && service.log().length === 1);
      process.kill(service.coordinator.learnerPid!, 'SIGKILL');
      service.script();
      await service.until((s) => s.adapterVersion === 1);
      assert.equal(service.log().length, 2);
      assert.deepEqual(service.log()[1]!.eventIds, service.log()[0]!.eventIds);
      for (const event of events) assert.equal(service.store.runs.runsOf(event.id).length, 1);
    });

    it('leaves no file of an update that could not be written down', async () => {
      await open();
      service.store.runs.commit = () => {
        throw new Error('The disk is full.');
      };
      await service.accept(BATCH);
      const status = await service.until((s) => s.state === 'error');
      assert.equal(status.error, 'The disk is full.');
      const health = (await (await fetch(`${service.url}/health`)).json()) as { error: string };
      assert.match(health.error, /status/, 'who has no token hears no more');
      assert.equal(status.queued, BATCH);
      assert.deepEqual(adapterFiles(service.store), []);
    });

    it('finds the event that the learner fails on, and learns from the others', async () => {
      await open();
      const [poison] = await service.accept(1);
      service.script({ poison: poison!.id, milliseconds: 1 });
      await service.accept(BATCH + 1);
      const status = await service.until((s) => s.trained === BATCH + 1);
      assert.match(status.error!, /One event is set aside/);
      assert.deepEqual(service.store.runs.runsOf(poison!.id), []);
      assert.deepEqual(
        service.log().map((line) => line.eventIds.length),
        [4, 4, 2, 1, 1, 4],
      );
    });

    it('gives up an update when the companion ends, without a word about it in the record', async () => {
      await open();
      service.script({ milliseconds: 3_000 });
      await service.accept(BATCH);
      await service.until((s) => s.state === 'training' && service.log().length === 1);
      await service.close();
      await open();
      assert.equal(service.store.runs.list().length, 0);
      await service.until((s) => s.adapterVersion === 1);
    });

    it('hangs: it is ended after the silence and the update is made again', async () => {
      await open({ learnerSilenceMs: 300 });
      service.script({ update: 'hang' });
      await service.accept(BATCH);
      const failed = await service.until((s) => s.lastRun !== null);
      assert.match(failed.lastRun!.reason, /said nothing for 0.3 s/);
      service.script();
      await service.until((s) => s.adapterVersion === 1);
    });

    it('rests while completions are in flight, and says so', async () => {
      await open();
      service.script({ milliseconds: 200 });
      await service.accept(BATCH);
      await service.until((s) => s.state === 'training');
      let generating = true;
      const typing = (async () => {
        while (generating) await tiny.engine.generate(request(tiny.engine, 'const a', { maxTokens: 200 }));
      })();
      await service.until((s) => s.state === 'paused');
      generating = false;
      await typing;
      await service.until((s) => s.adapterVersion === 1);
    });
  });

  describe('with the real learner', () => {
    it('trains, swaps, and survives a kill in the middle of an update', async () => {
      await open({ update: { epochs: 1000, targetKl: 1e9, learningRate: 1e-6 } }, { entry: learnerEntry() });
      const events = await service.accept(BATCH);
      await service.until((s) => s.progress?.phase === 'train' && s.progress.done > 0);
      process.kill(service.coordinator.learnerPid!, 'SIGKILL');
      const failed = await service.until((s) => s.lastRun !== null);
      assert.match(failed.lastRun!.reason, /was ended by SIGKILL/);
      await service.close();

      await open({ gate: { maxGeneralLossRise: 1e9, maxKl: 1e9 } }, { entry: learnerEntry() });
      const status = await service.until((s) => s.adapterVersion === 1 && s.state === 'idle');
      assert.equal(status.trained, BATCH);
      assert.equal(tiny.engine.adapter.version, 1);
      for (const event of events) assert.equal(service.store.runs.runsOf(event.id).length, 1);
      assert.ok(Number.isFinite(status.lastRun!.figures['losses/policy_loss']));
    });
  });
});
