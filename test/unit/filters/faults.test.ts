import assert from 'node:assert/strict';
import { applyFilters, type FilterName } from '../../../extension/common/filters/index.ts';

interface Fault {
  name: string;
  /** With the caret as `‸`. */
  document: string;
  raw: string;
  shown: string;
  /** Without this filter something else would be shown. */
  guard: FilterName;
  multiline?: boolean;
}

const faults: Fault[] = [
  {
    name: 'the line below repeated',
    document: 'function sum(a, b) {\n  ‸\n  return a + b;\n}\n',
    raw: 'return a + b;',
    shown: '',
    guard: 'repeatsLineBelow',
  },
  {
    name: 'the line above repeated',
    document: 'items.push(first);\n‸\nreturn items;\n',
    raw: 'items.push(first);',
    shown: '',
    guard: 'repeatsLineAbove',
  },
  {
    name: 'the rest of the line repeated',
    document: 'const total = ‸ as number;\n',
    raw: 'read(total) as number;',
    shown: 'read(total)',
    guard: 'stopAtSuffix',
  },
  {
    name: 'the line below repeated at the end of several lines',
    document: 'function sum(list) {\n  ‸\n  return total;\n}\n',
    raw: 'let total = 0;\n  for (const one of list) total += one;\n  return total;\n}',
    shown: 'let total = 0;\n  for (const one of list) total += one;',
    guard: 'stopAtLineBelow',
    multiline: true,
  },
  {
    name: 'the closing bracket of the suffix doubled in several lines',
    document: 'function sum(a, b) {‸\n}\n',
    raw: '\n  return a + b;\n}',
    shown: '\n  return a + b;\n',
    guard: 'strayClosers',
    multiline: true,
  },
  {
    name: 'code duplicated',
    document: 'def main():\n    ‸\n',
    raw: 'first = load()\n    save(first)\n    first = load()\n    save(first)',
    shown: 'first = load()\n    save(first)',
    guard: 'repeatedLines',
    multiline: true,
  },
  {
    name: 'an auto-closed parenthesis doubled',
    document: 'console.log(‸);\n',
    raw: 'value);',
    shown: 'value',
    guard: 'doubledClosers',
  },
  {
    name: 'a bracket opened in front of an auto-closed one',
    document: 'if (‸)\n',
    raw: 'isReady(state) {',
    shown: 'isReady(state)',
    guard: 'openBeforeSuffix',
  },
  {
    name: 'a bracket closed that nothing opened',
    document: 'const size = ‸\nrun();\n',
    raw: 'list.length);',
    shown: 'list.length',
    guard: 'strayClosers',
  },
  {
    name: 'a lone bracket',
    document: 'function f() {\n  a();\n‸\n',
    raw: '}',
    shown: '',
    guard: 'loneCloser',
  },
  {
    name: 'tabs of the document ignored',
    document: 'class A {\n\tsize() {\n\t\treturn 1;\n\t}\n‸\n}\n',
    raw: '    count() {',
    shown: '\tcount() {',
    guard: 'documentIndent',
  },
  {
    name: 'one extra leading space after a word',
    document: 'return ‸\n',
    raw: ' total;',
    shown: 'total;',
    guard: 'doubledSpace',
  },
  {
    name: 'one extra leading space in an indented line',
    document: 'def f():\n    ‸\n',
    raw: ' return 1',
    shown: 'return 1',
    guard: 'doubledSpace',
  },
  {
    name: 'a carriage return at the end',
    document: 'const a = ‸\n',
    raw: '1;\r\nconst b = 2;',
    shown: '1;',
    guard: 'lineEnds',
  },
  {
    name: 'half a character at the end',
    document: 'const face = "‸"\n',
    raw: 'smile \ud83d',
    shown: 'smile',
    guard: 'halfSurrogates',
  },
  {
    name: 'a comment that says nothing',
    document: 'a();\n‸\n',
    raw: '// TODO',
    shown: '',
    guard: 'emptyComment',
  },
  {
    name: 'a loop of the model',
    document: 'const list = [‸\n',
    raw: '0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,',
    shown: '',
    guard: 'extremeRepetition',
  },
  {
    name: 'a closing bracket alone in a line that is indented already',
    document: 'function f() {\n  a();\n  ‸\n',
    raw: '}',
    shown: '',
    guard: 'loneCloser',
  },
  {
    name: 'lines below the first indented with spaces where the document has tabs',
    document: 'class A {\n\tsize() ‸\n}\n',
    raw: '{\n    return 1;\n  }',
    shown: '{\n\t\treturn 1;\n\t}',
    guard: 'documentIndent',
    multiline: true,
  },
  {
    name: 'white space at the end of a line',
    document: 'const a = ‸\n',
    raw: '1;  ',
    shown: '1;',
    guard: 'trailingSpace',
  },
  {
    name: 'more than one line where one is asked for',
    document: 'const a = ‸\n',
    raw: '1;\nconst b = 2;',
    shown: '1;',
    guard: 'singleLine',
  },
  {
    name: 'the placeholder of a masked secret',
    document: "const old = 'MAS_KEDMASKEDMASKED';\nconst key = ‸\n",
    raw: "'MAS_KEDMASKEDMASKED';",
    shown: '',
    guard: 'maskedSecret',
  },
];

describe('faults that completions have elsewhere', () => {
  for (const { name, document, raw, shown, guard, multiline = false } of faults) {
    const [prefix = '', suffix = ''] = document.split('‸');
    const context = { prefix, suffix, start: 0, multiline };

    it(name, () => {
      const result = applyFilters(raw, context);
      assert.equal(result.text, shown);
      assert.ok(result.filters.includes(guard), result.filters.join(', '));
    });

    it(`${name}: another text without ${guard}`, () => {
      const result = applyFilters(raw, context, new Set([guard]));
      assert.ok(!result.filters.includes(guard));
      assert.notEqual(result.text, shown);
    });
  }
});
