import assert from 'node:assert/strict';
import { originOf } from '../../../extension/common/outcome/index.ts';
import { joinSelection, placeSuggestion } from '../../../extension/common/suggestion/present.ts';

describe('a suggestion in the editor', () => {
  /** The document with its caret as `|`, the suggestion, and the document after it was accepted, caret included. */
  const cases: [document: string, text: string, accepted: string][] = [
    ['x = |', 'foo', 'x = foo|'],
    ['f(|)', 'bar)', 'f(bar)|'],
    ['f(|);', 'bar)', 'f(bar)|;'],
    ['f(|);', 'bar);', 'f(bar);|'],
    ['f(|)', 'a: number): number {', 'f(a: number): number {|'],
    ['f([|])', 'a])', 'f([a])|'],
    ['[(|)]', 'a) => [', '[(a) => [|]'],
    ['f({|});', 'b)', 'f({b)|});'],
    ['f(|)', 'bar', 'f(bar|)'],
    ['f(| baz', 'bar', 'f(bar| baz'],
    ['f(| baz', 'a baz', 'f(a baz| baz'],
    // The text opens another in place of the one that it closes.
    ['f(|)', 'a) + g(b', 'f(a) + g(b|)'],
    ['f(|)', 'a) + b', 'f(a) + b|'],
    ['f(|).then(g)', 'a) + f(b', 'f(a) + f(b|).then(g)'],
    ['f(|).then(g)', 'a, b)', 'f(a, b)|.then(g)'],
    ['f(g(|)', 'a))', 'f(g(a))|'],
    // Auto-closed quotes.
    ["f('|')", "a', b", "f('a', b|)"],
    ["f('|')", "a', 'b", "f('a', 'b|')"],
    ["f('|')", "a', b)", "f('a', b)|"],
    ["f('|')", "it\\'s", "f('it\\'s|')"],
    ["f('|')", 'a)', "f('a)|')"],
    // JSX.
    ['<p a={|} />', 'b', '<p a={b|} />'],
    ['<p a={|} />', 'b} c={d', '<p a={b} c={d|} />'],
    ['{list.map((a) => <p>{|}</p>)}', 'a.b', '{list.map((a) => <p>{a.b|}</p>)}'],
    // Offsets are UTF-16 units.
    ['f("💡", |)', '"💡")', 'f("💡", "💡")|'],
    ['f(|) // 💡', '"💡")', 'f("💡")| // 💡'],
    // A block in front of what closes the call.
    ['f(|);', '() => {\n  a();\n}', 'f(() => {\n  a();\n}|);'],
  ];
  for (const [document, text, accepted] of cases) {
    it(`${JSON.stringify(document)} + ${JSON.stringify(text)} → ${JSON.stringify(accepted)}`, () => {
      const [before, after] = document.split('|') as [string, string];
      for (const eol of ['\n', '\r\n'] as const) {
        const lineSuffix = after.split('\n', 1)[0]!;
        const { insertText, replaced } = placeSuggestion(text, { before, lineSuffix, eol });
        assert.equal(before + insertText + '|' + after.slice(replaced), accepted.replaceAll('\n', eol));
        const taken = [...after.slice(0, replaced)];
        assert.ok(taken.every((character) => insertText.includes(character)));
      }
    });
  }

  it('replaces what the editor closed while it was typed', () => {
    const place = { before: 'f(a + ', lineSuffix: ')', eol: '\n', replacedAtLeast: 1 } as const;
    assert.deepEqual(placeSuggestion('1);', place), { insertText: '1);', replaced: 1 });
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
