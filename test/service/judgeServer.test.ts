import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runHone } from '../fixtures/companionProcess.ts';
import { prepareJudgeRun, type JudgeRun } from '../fixtures/judgeRun.ts';
import { chatBody, startJudgeServer, type Behaviour, type JudgeServer } from '../fixtures/judgeServer.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';

const ROLLOUT = { groupSize: 4, promptsPerStep: 3, maxTokens: 6 };
const PATIENT = { judge: 'chat', backoffMs: 5, maxBackoffMs: 10, timeoutMs: 400, concurrency: 3 };

/** A stable number of a text. */
const numberOf = (text: string): number =>
  [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 9973, 7);
const score = (completion: string): number => numberOf(completion) % 11;

describe('a judged run with a language model as judge', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let server: JudgeServer;
  let runs = 0;
  after(() => rmSync(folder, { recursive: true }));
  afterEach(() => server.close());

  const prepare = (options: Record<string, object> = {}): JudgeRun =>
    prepareJudgeRun(folder, `run${++runs}`, {
      rollout: ROLLOUT,
      ...options,
      reward: { ...PATIENT, ...options.reward },
    });
  const environment = () => ({
    LLMASJUDGE_API_URL: server.url,
    LLMASJUDGE_API_KEY: 'secret',
    LLMASJUDGE_MODEL: 'stand-in',
  });
  const good = (completion: string): Behaviour => ({ body: chatBody(`Score: ${score(completion)}`) });

  it('survives malformed answers, refusals, silence and closed connections, and scores none of them', async () => {
    const lostFor = (text: string): string | null => {
      switch (numberOf(text) % 7) {
        case 0:
          return 'unreadable';
        case 1:
          return 'timeout';
        case 2:
          return 'http500';
        case 3:
          return 'connection';
        case 4:
          return 'notChat';
        default:
          return null;
      }
    };
    server = await startJudgeServer(({ completion }, count) => {
      switch (lostFor(completion)) {
        case 'unreadable':
          return { body: chatBody('I like it.') };
        case 'timeout':
          return 'hang';
        case 'http500':
          return { status: 500, body: 'oh' };
        case 'connection':
          return 'close';
        case 'notChat':
          return { body: '{"choices":[]}' };
        default:
          // Too busy at first.
          return count === 0
            ? { status: 429, headers: { 'retry-after': '0.01' }, body: '{}' }
            : good(completion);
      }
    });
    const run = prepare({ reward: { maxLostShare: 1, attempts: 2, timeoutMs: 150 } });
    const result = await run.run(environment());
    const { training, validation } = result.verdicts;
    const asked = new Map(
      server.asked.map(({ body, completion }) => [body.messages.at(-1)!.content, completion]),
    );
    assert.equal(training.scored + Object.values(training.lost).reduce((sum, n) => sum + n, 0), 2 * 3 * 4);
    for (const counts of validation)
      assert.equal(counts.chat!.scored + Object.values(counts.chat!.lost).reduce((sum, n) => sum + n, 0), 4);
    // Each kind of failure that was met is counted under its name, and nothing else is.
    const met = new Set([...asked.values()].map(lostFor).filter((reason) => reason !== null));
    assert.ok(met.size >= 4, `${[...met].join()} were met`);
    const counted = new Set(
      [training, ...validation.map((one) => one.chat!)].flatMap(({ lost }) => Object.keys(lost)),
    );
    assert.deepEqual([...counted].sort(), [...met].sort());
    // What stays unanswered is asked twice, what is answered unreadably once: it would be the same again.
    for (const [content, completion] of asked) {
      const times = server.asked.filter(({ body }) => body.messages.at(-1)!.content === content).length;
      const once = ['unreadable', 'notChat'].includes(lostFor(completion) ?? '');
      if (once) assert.ok(times >= 1);
      else assert.ok(times >= 2, `${lostFor(completion)} was asked ${times} times`);
    }
    const cache = readFileSync(join(run.outputDir, 'verdicts', 'verdicts.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const scored = [...asked.values()].filter((completion) => lostFor(completion) === null);
    assert.equal(cache.length, scored.length);
    assert.deepEqual(
      cache.map((line) => (JSON.parse(line) as { score: number }).score * 10).sort((a, b) => a - b),
      scored.map(score).sort((a, b) => a - b),
    );
    assert.equal(result.steps, 2);
  });

  it('asks at temperature 0, with the key, a question that has the gap, the solutions and the completion', async () => {
    server = await startJudgeServer(({ completion }) => good(completion));
    const run = prepare({ schedule: { maxSteps: 1 } });
    const result = await run.run(environment());
    assert.equal(result.verdicts.training.scored, 12);
    const question = server.asked.at(0)!;
    assert.equal(question.headers.authorization, 'Bearer secret');
    assert.deepEqual([question.body.model, question.body.temperature], ['stand-in', 0]);
    const { content } = question.body.messages.at(-1)!;
    for (const text of ['const second0 = ', 'use0(second0', 'second(0)'])
      assert.ok(content.includes(text), text);
    // Equal completions of a prompt are one question.
    const contents = server.asked.map(({ body }) => body.messages.at(-1)!.content);
    assert.equal(new Set(contents).size, contents.length);
  });

  it('asks nothing that the cache knows', async () => {
    server = await startJudgeServer(({ completion }) => good(completion));
    const run = prepare({ schedule: { maxSteps: 1 } });
    const first = await run.run(environment());
    const asked = server.asked.length;
    rmSync(join(run.outputDir, 'checkpoints'), { recursive: true });
    rmSync(join(run.outputDir, 'validation'), { recursive: true });
    const again = await run.run(environment());
    assert.equal(server.asked.length, asked);
    assert.deepEqual(again.validation, first.validation);
    assert.equal(again.verdicts.training.cached, 12);
  });

  it('ends with an error when too many verdicts are lost, and goes on when the judge is well again', async () => {
    let ill = true;
    server = await startJudgeServer(({ completion, body }) =>
      ill && body.messages.at(-1)!.content.includes('first') ? { body: chatBody('?') } : good(completion),
    );
    const run = prepare({ schedule: { maxSteps: 1 }, reward: { maxLostShare: 0.2 } });
    const command = ['judge', '--config', run.configPath, '--log-level', 'error'];
    Object.assign(process.env, environment());
    try {
      const failed = await runHone(command);
      assert.equal(failed.code, 1, failed.errors);
      assert.match(
        failed.errors,
        /12 of 12 verdicts of the chat judge were lost \(unreadable 12\), more than the share of 0\.2 .*\[verdicts_lost\]/,
      );
      assert.equal(existsSync(join(run.outputDir, 'checkpoints', 'global_step_1', 'state.json')), false);
      ill = false;
      const ended = await runHone([...command, '--json']);
      assert.equal(ended.code, 0, ended.errors);
      const result = JSON.parse(ended.output) as { verdicts: { training: object }; steps: number };
      assert.equal(result.steps, 1);
      assert.deepEqual((result.verdicts.training as { lost: object }).lost, {});
    } finally {
      for (const name of Object.keys(environment())) delete process.env[name];
    }
  });

  it('ends at once when every question would be refused', async () => {
    server = await startJudgeServer(() => ({ status: 401, body: '{"error":{"message":"no such key"}}' }));
    const run = prepare({ reward: { concurrency: 1 } });
    await assert.rejects(run.run(environment()), (error: Error & { code: string }) => {
      assert.equal(error.code, 'judge_refused');
      assert.match(error.message, /answered 401: .*no such key.*LLMASJUDGE_API_KEY/);
      return true;
    });
    assert.equal(server.asked.length, 1, 'what waited was not asked');
  });

  it('does not begin without the address of its judge', async () => {
    server = await startJudgeServer(() => 'close');
    const { LLMASJUDGE_MODEL } = environment();
    await assert.rejects(prepare().run({ LLMASJUDGE_MODEL }), /LLMASJUDGE_API_URL/);
    await assert.rejects(prepare().run({ LLMASJUDGE_API_URL: server.url }), /LLMASJUDGE_MODEL/);
  });
});
