import assert from 'node:assert/strict';
import {
  featuresAfter,
  featuresBefore,
  type HistoryFacts,
} from '../../../extension/common/display/features.ts';
import {
  AFTER_PRIORS,
  BEFORE_PRIORS,
  type AfterFeature,
  type BeforeFeature,
} from '../../../extension/common/display/priors.ts';

const USUAL: HistoryFacts = { seconds: null, previous: null, recent: 0.3, recentWorkspace: 0.3 };

function before(
  marked: string,
  name: BeforeFeature,
  history: Partial<HistoryFacts> = {},
  language = '',
): number {
  const [prefix, suffix] = marked.split('|');
  const values = featuresBefore({ prefix: prefix!, suffix: suffix!, language }, { ...USUAL, ...history });
  return values[Object.keys(BEFORE_PRIORS).indexOf(name)]!;
}

function after(text: string, name: AfterFeature, logprobs = [-1], finished = true): number {
  const place = { prefix: 'let basket = open;\nlet other = ', suffix: ';\nclose(door)', language: '' };
  return featuresAfter({ text, logprobs, finished }, place)[Object.keys(AFTER_PRIORS).indexOf(name)]!;
}

const near = (actual: number, expected: number): void =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

describe('features before generating', () => {
  const cases: [BeforeFeature, string, number][] = [
    ['always', '|', 1],
    ['lineStart', 'a\n  |', 1],
    ['lineStart', 'a\n  b|', 0],
    ['insideWord', 'ba|', 1],
    ['insideWord', 'ba |', 0],
    ['insideWord', 'größe|', 1],
    ['afterMember', 'a.|', 1],
    ['afterMember', 'a\n|', 0],
    ['afterOpener', 'f(|)', 1],
    ['afterOpener', 'a = |', 1],
    ['afterOpener', 'a |', 0],
    ['closersRight', 'f(|);', 1],
    ['closersRight', 'f(|\n)', 0],
    ['textRight', 'f(|, b)', 1],
    ['textRight', 'f(|)', 0],
    ['textRight', 'f(|  ', 0],
    ['comment', '  // see |', 1],
    ['comment', 'a // b|', 0],
    ['comment', '# see |', 1],
  ];
  for (const [name, marked, expected] of cases)
    it(`${name} in ${JSON.stringify(marked)} is ${expected}`, () => near(before(marked, name), expected));

  it('say how much text there is in tens of the usual', () => {
    near(before(`${'x'.repeat(600)}|`, 'longPrefix'), 0);
    near(before(`${'x'.repeat(6009)}|`, 'longPrefix'), 1);
    near(before(`|${'x'.repeat(150)}`, 'longSuffix'), 0);
  });

  it('know the languages that the embedded model was taught, and hold nothing against an unknown one', () => {
    const known = ['typescript', 'python', '', 'cobol'].map((id) => before('|', 'otherLanguage', {}, id));
    assert.deepEqual(known, [0, 0, 0, 1]);
  });

  it('take the history as a difference from what is usual, 0 where nothing is known', () => {
    near(before('|', 'pause'), 0);
    near(before('|', 'pause', { seconds: 109 }), 1);
    near(before('|', 'pause', { seconds: -5 }), before('|', 'pause', { seconds: 0 }));
    near(before('|', 'previous'), 0);
    near(before('|', 'previous', { previous: 1 }), 0.7);
    near(before('|', 'recent', { recent: 0.5 }), 0.2);
    near(before('|', 'recentWorkspace', { recentWorkspace: 0.1 }), -0.2);
  });
});

describe('features after generating', () => {
  const cases: [AfterFeature, string, number[], number][] = [
    ['sumLogprob', 'a', [-1, -2, -1], 0],
    ['sumLogprob', 'a', [-40], -11],
    ['meanLogprob', 'a', [-1, -2], -1],
    ['minLogprob', 'a', [-1, -4], -2],
    ['minLogprob', 'a', [], 2],
    ['beginning', 'a', [-1, -1, -1, -9], -1.5],
    ['knownWords', 'basket(unknown)', [-1], 0],
    ['knownWords', 'basket.close', [-1], 0.5],
    ['knownWords', 'thingy', [-1], -0.5],
    ['knownWords', ');', [-1], 0],
    ['noWords', ');', [-1], 1],
    ['standsThere', ' basket = open;', [-1], 1],
    ['standsThere', 'basket = shut;', [-1], 0],
    ['moreLines', 'a\nb', [-1], 1],
    ['moreLines', 'a\n', [-1], 0],
  ];
  for (const [name, text, logprobs, expected] of cases)
    it(`${name} of ${JSON.stringify(text)} and ${logprobs.join()} is ${expected}`, () =>
      near(after(text, name, logprobs), expected));

  it('say how long it is, and whether it came to its end', () => {
    near(after('x'.repeat(19), 'length'), 0);
    assert.ok(after('x'.repeat(50), 'length') > 0);
    assert.deepEqual([after('a', 'cut'), after('a', 'cut', [-1], false)], [0, 1]);
  });
});
