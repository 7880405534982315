import assert from 'node:assert/strict';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import {
  completionResponseSchema,
  type CompletionResponse,
  type DisplayDecision,
  type Outcome,
} from '../../extension/common/contracts/index.ts';
import { decideDisplay, DISPLAY_SHARE } from '../../extension/common/display/decision.ts';
import type { StoredPrediction } from '../../trainer/store/types.ts';
import { CompanionProcess } from '../fixtures/companionProcess.ts';
import { openLearningService, type LearningService } from '../fixtures/learningService.ts';
import { outcomeEvent } from '../fixtures/records.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

describe('the display filter and the companion', () => {
  describe('decisions that a client made', () => {
    let service: LearningService;
    before(async () => {
      service = await openLearningService({ batchEvents: 1000 });
    });
    after(() => service.close());

    it('are stored with their propensity and counted', async () => {
      const decided: [DisplayDecision, Outcome][] = [
        ...Array.from({ length: 3 }, () => suppressed(decideDisplay(0.1, 0.125, 0.9))),
        [decideDisplay(0.1, 0.125, 0.01), { kind: 'rejected', how: 'escape' }],
        ...Array.from({ length: 8 }, (): [DisplayDecision, Outcome] => [
          decideDisplay(0.4, 0.125, 0.9),
          { kind: 'accepted' },
        ]),
      ];
      const events = decided.map(([display, outcome]) => {
        const shownText = display.shown ? 'one;' : '';
        return outcomeEvent(service.completion(), outcome, { display, shownText });
      });
      await service.submit({ v: 1, events });
      const { served } = await service.until((status) => status.served?.figures['served/requests'] === 12);
      assert.equal(served!.figures['served/unlikely_share'], 3 / 12);
      const metrics = await fetch(`${service.url}/metrics`, {
        headers: { authorization: 'Bearer feedback-token' },
      });
      assert.match(await metrics.text(), /^hone_served_unlikely_share 0\.25$/m);
      const database = new Database(join(service.dataDir, 'experience.db'), { readonly: true });
      const stored = database
        .prepare(
          `SELECT json_extract(body, '$.display.propensity') AS propensity,
             json_extract(body, '$.display.explored') AS explored, count(*) AS number
           FROM events GROUP BY 1, 2 ORDER BY 1`,
        )
        .all();
      database.close();
      assert.deepEqual(stored, [
        { propensity: 0.02, explored: 1, number: 1 },
        { propensity: 0.98, explored: 0, number: 3 },
        { propensity: 1, explored: 0, number: 8 },
      ]);
    });
  });

  describe('predictions', function () {
    this.timeout(120_000);
    const folder = temporaryFolder();
    const dataDir = join(folder, 'data');
    let companion: CompanionProcess;
    before(async () => {
      writeTinyModel(join(folder, 'tiny.gguf'));
      companion = await CompanionProcess.start([
        ...['--data-dir', dataDir, '--model', join(folder, 'tiny.gguf'), '--gpu', 'cpu', '--threads', '1'],
        ...['--log-level', 'error', '--token', 'secret', '--no-train'],
      ]);
    });
    after(() => companion.kill());

    const ask = async (asked_at: number): Promise<CompletionResponse> => {
      const response = await fetch(`${companion.ready.inference}/v1/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'const a = ', suffix: '\n', max_tokens: 4, seed: 7, asked_at }),
      });
      return completionResponseSchema.parse(await response.json());
    };
    const reject = async (completion: CompletionResponse, at: number): Promise<void> => {
      const rejected = { kind: 'rejected', how: 'escape' } as const;
      const { text: shownText } = completion.choices[0]!;
      const event = outcomeEvent({ id: completion.id }, rejected, { at, shownText });
      assert.equal((await companion.post('/api/training/submit', event)).status, 200);
    };

    it('come with the answer, are recorded, and learn from what became of it', async () => {
      const first = await ask(1_000);
      assert.equal(first.acceptance!.threshold, 0.25 * DISPLAY_SHARE);
      assert.ok(first.acceptance!.before > 0.15 && first.acceptance!.before < 0.5);
      await reject(first, 2_000);
      for (let turn = 1; turn < 9; turn++) await reject(await ask(turn * 10_000), turn * 10_000 + 5_000);
      const last = await ask(100_000);
      assert.equal(last.choices[0]!.text, first.choices[0]!.text);
      assert.ok(last.acceptance!.before < first.acceptance!.before - 0.05);
      assert.ok(last.acceptance!.after! < first.acceptance!.after! - 0.05);
      const database = new Database(join(dataDir, 'experience.db'), { readonly: true });
      const stored = database
        .prepare('SELECT acceptance FROM completions WHERE id = ?')
        .pluck()
        .get(last.id) as string;
      database.close();
      const prediction = JSON.parse(stored) as StoredPrediction;
      assert.equal(prediction.before, last.acceptance!.before);
      assert.equal(prediction.after, last.acceptance!.after);
    });
  });
});

function suppressed(display: DisplayDecision): [DisplayDecision, Outcome] {
  return [display, { kind: 'suppressed', by: 'unlikely' }];
}
