import assert from 'node:assert/strict';
import type { JudgeItem } from '../../../trainer/judge/dataset.ts';
import { findLeaks } from '../../../trainer/judge/leakage.ts';

const CODE = Array.from({ length: 30 }, (_, i) => `const value${i} = compute${i}(${i});`).join('\n');
const OTHER = Array.from({ length: 30 }, (_, i) => `if (name${i}) throw new Error("${i}");`).join('\n');

const item = (id: string, prefix: string, suffix = ''): JudgeItem => ({
  id,
  prompt: prefix + suffix,
  document: { prefix, suffix },
  solutions: ['x'],
});

describe('leakage', () => {
  const training = [item('t1', OTHER), item('t2', CODE, OTHER), item('t3', 'a')];
  for (const [name, validation, expected] of [
    ['the same prompt', item('v', CODE, OTHER), 't2'],
    ['other white space', item('v', CODE.replaceAll('\n', '\r\n  '), OTHER.replaceAll(' ', '  ')), 't2'],
    ['one line more', item('v', `${CODE}\nlet more = 1;`, OTHER), 't2'],
    ['a renamed value', item('v', CODE.replace('value7', 'renamed'), OTHER), 't2'],
    ['the gap elsewhere', item('v', `${CODE}\n${OTHER.slice(0, 33)}`, OTHER.slice(33)), 't2'],
    ['a prompt of one word', item('v', ' a '), 't3'],
    ['half of a prompt', item('v', CODE), null],
    [
      'other code in the same style',
      item(
        'v',
        CODE.replace(/\d+/g, (n) => `${n}9`),
      ),
      null,
    ],
    ['another word alone', item('v', 'b'), null],
  ] as const)
    it(`${expected === null ? 'is not' : 'is'} ${name}`, () => {
      const leaks = findLeaks(training, [validation], 0.8);
      assert.deepEqual(
        leaks.map((leak) => leak.training),
        expected === null ? [] : [expected],
      );
      if (expected !== null) assert.equal(leaks[0]!.validation, 'v');
    });

  it('names the nearest, with its likeness', () => {
    const twice = [item('near', `${CODE}\nlet more = 1;`), item('same', CODE)];
    assert.deepEqual(findLeaks(twice, [item('v', CODE)], 0.5), [
      { training: 'same', validation: 'v', similarity: 1 },
    ]);
  });

  it('at a bound of 1 is the same text alone', () => {
    assert.equal(findLeaks(training, [item('v', `${CODE}\nlet more = 1;`, OTHER)], 1).length, 0);
    assert.equal(findLeaks(training, [item('v', CODE, OTHER)], 1).length, 1);
  });
});
