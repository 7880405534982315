import assert from 'node:assert/strict';
import { chatAddress } from '../../../trainer/judge/chatJudge.ts';
import type { JudgeItem } from '../../../trainer/judge/dataset.ts';
import { exactJudge, similarityJudge } from '../../../trainer/judge/judge.ts';

const item = (...solutions: string[]): JudgeItem => ({
  id: 'x',
  prompt: '',
  document: { prefix: '', suffix: '' },
  solutions,
});

describe('the judges that need no network', () => {
  for (const [solutions, completion, exact, similarity] of [
    [['return a;'], 'return a;', 1, 1],
    [['return a;'], 'return a;\n', 1, 1],
    [['return a;\n'], 'return a; ', 1, 1],
    [['if (a) {\n  b();\n}'], 'if (a) { \r\n  b();\r\n}', 1, 1],
    [['x', 'return a;'], 'return a;', 1, 1],
    [['return a;'], ' return a;', 0, 1 - 1 / 10],
    [['return a;'], 'return b;', 0, 1 - 1 / 9],
    [['return a;', 'return bc;'], 'return b;', 0, 1 - 1 / 10],
    [['abcd'], '', 0, 0],
    [['abcd'], 'wxyz', 0, 0],
  ] as [string[], string, number, number][])
    it(`${JSON.stringify(completion)} for ${JSON.stringify(solutions)}`, async () => {
      assert.deepEqual(await exactJudge.judge(item(...solutions), completion), { score: exact });
      const verdict = await similarityJudge.judge(item(...solutions), completion);
      assert.ok('score' in verdict && Math.abs(verdict.score - similarity) < 1e-9, JSON.stringify(verdict));
    });
});

describe('the address of a chat server', () => {
  for (const [given, expected] of [
    ['http://localhost:8000', 'http://localhost:8000/v1/chat/completions'],
    ['http://localhost:8000/', 'http://localhost:8000/v1/chat/completions'],
    ['http://localhost:8000/v1', 'http://localhost:8000/v1/chat/completions'],
    ['https://host/openai/v1/', 'https://host/openai/v1/chat/completions'],
    ['https://host/v1/chat/completions', 'https://host/v1/chat/completions'],
  ] as const)
    it(`${given}`, () => assert.equal(chatAddress(given), expected));
});
