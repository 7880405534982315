import assert from 'node:assert/strict';
import { withoutOwnClosers } from '../../../extension/common/prompt/ownClosers.ts';

/** The caret is at `|`. */
const CASES: [what: string, text: string, seen: string][] = [
  ['a bracket of the line', 'call(|)\nnext();', '\nnext();'],
  ['a quote in a bracket', 'call("|")\nnext();', '\nnext();'],
  ['brackets within brackets', 'a.map((x) => [|])\n', '\n'],
  ['the inner ones, when the outer one is typed later', 'a.map((|)\n', '\n'],
  ['a template', 'const a = `|`\n', '\n'],
  ['spaces behind them', 'call(|)  \nnext();', '\nnext();'],
  ['the end of the text', 'call(|)', ''],
  ['nothing there', 'call(|\nnext();', '\nnext();'],
  ['nothing there and no next line', 'call(|', ''],
  ['a bracket of another line', 'call(\n  one|)\nnext();', ')\nnext();'],
  ['one bracket too many', 'call(|))\n', '))\n'],
  ['another kind of bracket', 'call(|]\n', ']\n'],
  ['a semicolon too', 'call(|);\n', ');\n'],
  ['code too', 'call(|, two)\n', ', two)\n'],
  ['a bracket in a comment', '// call(|)\n', ')\n'],
  ['a quote that the line has closed', 'call("one"|)\n', '\n'],
];

describe('closing brackets that the editor put right of the caret', () => {
  for (const [what, text, seen] of CASES) {
    it(`are ${text.includes('|' + seen) ? 'kept' : 'left out'}: ${what}`, () => {
      const [before, after] = text.split('|') as [string, string];
      assert.equal(withoutOwnClosers(before, after), seen);
    });
  }

  it('leave the suffix as it was while they come and go', () => {
    const below = '\nnext();\n';
    const typed: [string, string][] = [
      ['call', ''],
      ['call(', ')'],
      ['call("', '")'],
      ['call("a', '")'],
      ['call("a"', ')'],
      ['call("a")', ''],
    ];
    for (const [before, after] of typed)
      assert.equal(withoutOwnClosers(before, after + below), below, before);
  });
});
