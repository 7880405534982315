import assert from 'node:assert/strict';
import { originOf } from '../../../extension/common/outcome/index.ts';
import { joinSelection, placeSuggestion } from '../../../extension/common/suggestion/present.ts';

describe('a suggestion in the editor', () => {
  const cases: [text: string, right: string, insertText: string, replaced: number][] = [
    ['foo', '', 'foo', 0],
    ['bar)', ')', 'bar)', 1],
    ['bar)', ');', 'bar)', 1],
    ['bar);', ');', 'bar);', 2],
    ['a: number): number {', ')', 'a: number): number {', 1],
    ['foo(a) {', ')', 'foo(a) {', 0],
    ['a])', '])', 'a])', 2],
    ['a) => [', ')]', 'a) => [', 1],
    ['b)', '});', 'b)', 0],
    ['bar', ')', 'bar', 0],
    ['bar', ' baz', 'bar', 0],
    ['a baz', ' baz', 'a baz', 0],
    ['{\n}', '', '{\r\n}', 0],
  ];
  for (const [text, right, insertText, replaced] of cases) {
    it(`${JSON.stringify(text)} before ${JSON.stringify(right)}`, () => {
      const eol = insertText.includes('\r') ? '\r\n' : '\n';
      assert.deepEqual(placeSuggestion(text, right, eol), { insertText, replaced });
    });
  }

  it('replaces what the editor closed while it was typed', () => {
    assert.deepEqual(placeSuggestion('1);', ')', '\n', 1), { insertText: '1);', replaced: 1 });
  });

  it('starts with what the suggest widget has selected, or stays away', () => {
    assert.equal(joinSelection('con', 'console', 'sole.log()'), 'console.log()');
    assert.equal(joinSelection('con', 'console', 'sole'), undefined);
    assert.equal(joinSelection('con', 'constructor', 'sole.log()'), undefined);
  });
});

describe('origin of a change', () => {
  const at = (offset: number) => [{ start: offset, end: offset }];
  const cases: [name: string, facts: Parameters<typeof originOf>[0], origin: string][] = [
    [
      'a key',
      {
        edits: [{ offset: 3, deleted: 0, inserted: 'x' }],
        reason: undefined,
        focused: true,
        selections: at(3),
      },
      'typing',
    ],
    [
      'backspace',
      {
        edits: [{ offset: 2, deleted: 1, inserted: '' }],
        reason: undefined,
        focused: true,
        selections: at(3),
      },
      'typing',
    ],
    [
      'undo',
      { edits: [{ offset: 2, deleted: 1, inserted: '' }], reason: 'undo', focused: true, selections: at(3) },
      'undo',
    ],
    [
      'elsewhere',
      {
        edits: [{ offset: 9, deleted: 0, inserted: 'x' }],
        reason: undefined,
        focused: true,
        selections: at(3),
      },
      'tool',
    ],
    [
      'out of focus',
      {
        edits: [{ offset: 3, deleted: 0, inserted: 'x' }],
        reason: undefined,
        focused: false,
        selections: at(3),
      },
      'tool',
    ],
    [
      'a paste',
      {
        edits: [{ offset: 3, deleted: 0, inserted: 'x'.repeat(201) }],
        reason: undefined,
        focused: true,
        selections: at(3),
      },
      'paste',
    ],
  ];
  for (const [name, facts, origin] of cases) it(name, () => assert.equal(originOf(facts), origin));
});
