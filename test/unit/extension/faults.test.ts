import assert from 'node:assert/strict';
import { lineRequest } from '../../../extension/common/prompt/request.ts';
import { accept } from '../../fixtures/acceptance.ts';

interface Fault {
  name: string;
  /** With the caret as `‸`. */
  document: string;
  raw: string;
  shown: string;
  /** The document once the suggestion was accepted. */
  accepted: string;
  multiline?: boolean;
}

const faults: Fault[] = [
  {
    name: 'nothing shown in front of an auto-closed parenthesis',
    document: 'console.log(‸)\nrun();\n',
    raw: 'first) + read(second)\n',
    shown: 'first) + read(second)',
    accepted: 'console.log(first) + read(second)‸\nrun();\n',
  },
  {
    name: 'the parenthesis missing that the text itself opened',
    document: 'use(‸)\n',
    raw: 'read(first)',
    shown: 'read(first)',
    accepted: 'use(read(first)‸)\n',
  },
  {
    name: 'the quote missing that the text itself opened',
    document: 'text = (‸"world")\n',
    raw: `"hello "`,
    shown: `"hello "`,
    accepted: `text = ("hello "‸"world")\n`,
  },
  {
    name: 'the quote doubled that the editor has closed',
    document: `const name = '‸';\n`,
    raw: `hone';`,
    shown: 'hone',
    accepted: `const name = 'hone‸';\n`,
  },
  {
    name: 'a bracket unbalanced after acceptance in several lines',
    document: 'list.map(‸);\nend();\n',
    raw: '(one) => {\n  use(one);\n});\nend();',
    shown: '(one) => {\n  use(one);\n}',
    accepted: 'list.map((one) => {\n  use(one);\n}‸);\nend();\n',
    multiline: true,
  },
  {
    name: 'indentation in front of a text lost, so that Tab takes it instead of indenting',
    document: 'function f() {\n‸\n}\n',
    raw: '    return 1;',
    shown: '    return 1;',
    accepted: 'function f() {\n    return 1;‸\n}\n',
  },
  {
    name: 'lines below the first at root indentation',
    document: 'class A {\n\tsize() ‸\n}\n',
    raw: '{\n    return 1;\n  }',
    shown: '{\n\t\treturn 1;\n\t}',
    accepted: 'class A {\n\tsize() {\n\t\treturn 1;\n\t}‸\n}\n',
    multiline: true,
  },
  {
    name: 'a closing bracket that would not go back to its own indentation',
    document: 'function f() {\n  a();\n  ‸\n',
    raw: '}',
    shown: '',
    accepted: 'function f() {\n  a();\n  ‸\n',
  },
  {
    name: 'the newline in front lost',
    document: 'function f() {‸\n}\n',
    raw: '\n  return 1;\n}',
    shown: '\n  return 1;\n',
    accepted: 'function f() {\n  return 1;\n‸\n}\n',
    multiline: true,
  },
  {
    name: 'a line of the model lost at the end of a file without a newline',
    document: 'const a = 1;\nconst b = ‸',
    raw: 'a + 1;\n',
    shown: 'a + 1;',
    accepted: 'const a = 1;\nconst b = a + 1;‸',
  },
  {
    name: 'the last line not seen where a file ends without a newline',
    document: 'const a = 1;\nconst b = read(‸, true);',
    raw: 'a, true);',
    shown: 'a',
    accepted: 'const a = 1;\nconst b = read(a‸, true);',
  },
  {
    name: 'nothing in an empty document',
    document: '‸',
    raw: 'import a from "a";\n',
    shown: 'import a from "a";',
    accepted: 'import a from "a";‸',
  },
  {
    name: 'a character outside the basic plane counted as one unit',
    document: `say('💡', ‸) // 💡\n`,
    raw: `'💡')`,
    shown: `'💡'`,
    accepted: `say('💡', '💡'‸) // 💡\n`,
  },
  {
    name: 'legal code cut at what looks like a stop string',
    document: 'const fence = ‸;\n',
    raw: "'```' + url('http://a') // '<|im_end|>'",
    shown: "'```' + url('http://a') // '<|im_end|>'",
    accepted: "const fence = '```' + url('http://a') // '<|im_end|>'‸;\n",
  },
];

describe('faults that completions have elsewhere, as the document stands after acceptance', () => {
  for (const { name, document, raw, shown, accepted, multiline = false } of faults) {
    for (const eol of ['\n', '\r\n'] as const) {
      it(`${name}, ${eol === '\n' ? 'LF' : 'CRLF'}`, () => {
        const result = accept(document, raw.replaceAll('\n', eol), eol, multiline);
        assert.equal(result.shown, shown);
        assert.equal(result.accepted, accepted.replaceAll('\n', eol));
      });
    }
  }

  it('a carriage return in what the model is shown', () => {
    const { window } = accept('const a = 1;\nconst b = ‸;\nuse(b);\n', 'a', '\r\n');
    assert.equal(window.prefix, 'const a = 1;\nconst b = ');
    assert.equal(window.suffix, ';\nuse(b);\n');
  });

  it('a stop string that legal code could hold', () => {
    const facts = { workspace: '', language: '', session: '', documentVersion: 1, offset: 0, record: true };
    const { window } = accept('const a = ‸;\n', 'b');
    assert.deepEqual(lineRequest(window, facts).stop, ['\n']);
  });

  it('a prompt that begins or ends between the halves of a character', () => {
    for (const odd of ['', 'a']) {
      const faces = odd + '💡'.repeat(1000);
      const { window } = accept(`${faces}‸${faces}`, 'b');
      assert.ok(window.prefix.length < faces.length && window.suffix.length < faces.length);
      assert.ok(window.prefix.isWellFormed() && window.suffix.isWellFormed());
    }
  });
});
