import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyFilters, describeSteps } from '../../../extension/common/filters/index.ts';

describe('applyFilters', () => {
  it('shows a plain text as it is and says that nothing was done', () => {
    const result = applyFilters('value + 1;', { prefix: 'return ', suffix: '\n}\n' });
    assert.deepEqual(result, { text: 'value + 1;', filters: [], steps: [], silent: false });
    assert.equal(describeSteps(result.steps), 'no filter');
  });

  it('names what changed the text', () => {
    const result = applyFilters(' a, b);\nnext', { prefix: 'f( ', suffix: ');\n' });
    assert.deepEqual(result, {
      text: 'a, b',
      filters: ['singleLine', 'doubledSpace', 'doubledClosers'],
      steps: [
        { filter: 'singleLine', did: 'cut', lostChars: 5 },
        { filter: 'doubledSpace', did: 'rewrote', lostChars: 1 },
        { filter: 'doubledClosers', did: 'cut', lostChars: 2 },
      ],
      silent: false,
    });
  });

  it('names what hid it', () => {
    const result = applyFilters('return a;', { prefix: '  ', suffix: '\n  return a;\n' });
    assert.deepEqual(result, {
      text: '',
      filters: ['repeatsLineBelow'],
      steps: [{ filter: 'repeatsLineBelow', did: 'hid', lostChars: 9 }],
      hiddenBy: 'repeatsLineBelow',
      silent: false,
    });
  });

  it('says in words what was done', () => {
    const { steps } = applyFilters('a, b);\nnext', { prefix: 'f(', suffix: ');\n' });
    assert.equal(describeSteps(steps), 'singleLine cut 5, doubledClosers cut 2');
  });

  it('leaves out the filters that are off', () => {
    const context = { prefix: 'f(', suffix: ')' };
    assert.equal(applyFilters('a)', context, new Set(['doubledClosers'])).text, 'a)');
  });

  it('shows no white space alone', () => {
    for (const multiline of [false, true]) {
      const result = applyFilters(' \t\n ', { prefix: 'a;\n', suffix: '', multiline });
      assert.equal(result.hiddenBy, 'emptyText');
    }
  });

  it('tells silence of the model from a text that a filter emptied', () => {
    assert.equal(applyFilters('', { prefix: 'a;', suffix: '' }).silent, true);
    assert.equal(applyFilters('\n  b;', { prefix: 'a;', suffix: '' }).silent, true);
    const emptied = applyFilters(')', { prefix: 'f(', suffix: ')' });
    assert.equal(emptied.hiddenBy, 'emptyText');
    assert.equal(emptied.silent, false);
  });

  it('changes nothing the second time, and never makes the text longer but by indentation', () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\t',
      ')',
      '(',
      "'",
      ';',
      '}',
      'foo',
      '💡',
      '\ud83d',
      '\r\n',
      'x = ',
    );
    const text = fc.array(piece, { maxLength: 20 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, text, fc.boolean(), (raw, prefix, suffix, multiline) => {
        const context = { prefix, suffix, start: 0, multiline };
        const once = applyFilters(raw, context);
        assert.equal(applyFilters(once.text, context).text, once.text);
        assert.equal(once.text === '', once.hiddenBy !== undefined);
        if (!multiline) assert.ok(!once.text.includes('\n'));
      }),
      { numRuns: 2000 },
    );
  });
});
