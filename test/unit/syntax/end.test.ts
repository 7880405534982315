import assert from 'node:assert/strict';
import { applyFilters } from '../../../extension/common/filters/index.ts';
import { shapeOf } from '../../../extension/common/syntax/shape.ts';
import { syntaxFor } from './parsers.ts';

interface EndCase {
  name: string;
  language: string;
  /** With the caret as `‸`. */
  document: string;
  raw: string;
  shown: string;
  truncated?: boolean;
  /** Wherever a statement can go on. */
  always?: boolean;
}

const cases: EndCase[] = [
  {
    name: 'a whole block is shown up to the bracket that stands below',
    language: 'typescript',
    document: 'function sum(a: number[]) {\n  ‸\n}\n',
    raw: 'let total = 0;\n  for (const one of a) total += one;\n  return total;\n}\n\nfunction next() {',
    shown: 'let total = 0;\n  for (const one of a) total += one;\n  return total;',
  },
  {
    name: 'a block that nothing closes below closes itself',
    language: 'typescript',
    document: 'function sum(a: number) {\n  ‸',
    raw: 'return a;\n}\n\nfunction next() {\n  return 1;\n}',
    shown: 'return a;\n}',
  },
  {
    name: 'behind the opening bracket the text begins with the line end',
    language: 'typescript',
    document: 'function sum(a: number) {‸\n}\n',
    raw: '\n  const b = a;\n  return b;\n}',
    shown: '\n  const b = a;\n  return b;',
    always: true,
  },
  {
    name: 'a statement that a limit cut short goes',
    language: 'typescript',
    document: 'function sum(a: number) {\n  ‸\n}\n',
    raw: 'const b = a;\n  const c = b;\n  return b + c + tot',
    shown: 'const b = a;\n  const c = b;',
    truncated: true,
  },
  {
    name: 'a statement that is not finished goes whole',
    language: 'typescript',
    document: 'function sum(a: number) {\n  ‸\n}\n',
    raw: 'const b = a;\n  if (b > 1) {\n    run(b);',
    shown: 'const b = a;',
  },
  {
    name: 'a statement over several lines stays whole',
    language: 'typescript',
    document: 'function sum(a: number) {\n  ‸\n}\n',
    raw: 'return run(\n    a,\n    1,\n  );\n}',
    shown: 'return run(\n    a,\n    1,\n  );',
  },
  {
    name: 'where nothing is finished the first line is left',
    language: 'typescript',
    document: 'function sum(a: number) {\n  ‸\n}\n',
    raw: 'if (a > 1) {\n    run(b);',
    shown: 'if (a > 1) {',
  },
  {
    name: 'what is indented no further than the block is no part of it',
    language: 'typescript',
    document: 'class A {\n  size() {\n    ‸\n  }\n}\n',
    raw: 'return 1;\n  count() {\n    return 2;\n  }',
    shown: 'return 1;',
  },
  {
    name: 'members keep their separators',
    language: 'typescript',
    document: 'class A {\n  ‸\n}\n',
    raw: 'a = 1;\n  b = 2;\n  c = (',
    shown: 'a = 1;\n  b = 2;',
  },
  {
    name: 'what stands in front of the caret is no part of it',
    language: 'typescript',
    document: 'function sum(a: number) {\n  // Adds.\n  ‸\n}\n',
    raw: 'if (a > 1) {\n    run(b);',
    shown: 'if (a > 1) {',
  },
  {
    name: 'a member of a class whose head is out of sight',
    language: 'typescript',
    document: '  size(): number {\n    ‸\n  }\n}\n',
    raw: 'const a = 1;\n    return a;\n  }\n\n  count() {',
    shown: 'const a = 1;\n    return a;',
  },
  {
    name: 'Python: a block ends where the indentation does',
    language: 'python',
    document: 'def total(values):\n    ‸\n',
    raw: 'count = 0\n    for value in values:\n        count += value\n    return count\n\ndef other():\n    pass',
    shown: 'count = 0\n    for value in values:\n        count += value\n    return count',
  },
  {
    name: 'Python: behind the colon',
    language: 'python',
    document: 'if ready:‸\nrun()\n',
    raw: '\n    start()\n    stop()\nother()',
    shown: '\n    start()\n    stop()',
    always: true,
  },
  {
    name: 'Go: statements in their list',
    language: 'go',
    document: 'package a\n\nfunc sum(a int) int {\n\t‸\n}\n',
    raw: 'b := a\n\treturn b\n}\n\nfunc next() {',
    shown: 'b := a\n\treturn b',
  },
  {
    name: 'Rust: the value of a block without a semicolon',
    language: 'rust',
    document: 'fn sum(a: i32) -> i32 {\n    ‸\n}\n',
    raw: 'let b = a;\n    b + 1\n}\n\nfn next() {',
    shown: 'let b = a;\n    b + 1',
  },
  {
    name: 'the statement that the caret stands in, whole, where it is always wanted',
    language: 'typescript',
    document: 'const a = ‸\n',
    raw: 'run({\n  b: 1,\n});\nconst c = 2;',
    shown: 'run({\n  b: 1,\n});',
    always: true,
  },
  {
    name: 'one statement on a blank line, where it is always wanted',
    language: 'typescript',
    document: 'function f() {\n  a();\n  ‸\n}\n',
    raw: 'if (b) {\n    c();\n  }\n  d();\n}',
    shown: 'if (b) {\n    c();\n  }',
    always: true,
  },
  {
    name: 'the first line of a statement that is not finished, where it is always wanted',
    language: 'typescript',
    document: 'const a = ‸\n',
    raw: 'run({\n  b: 1,',
    shown: 'run({',
    always: true,
  },
];

describe('the syntactic end of several lines', () => {
  for (const { name, language, document, raw, shown, truncated = false, always = false } of cases) {
    const [prefix, suffix] = document.split('‸') as [string, string];

    it(name, async () => {
      const shape = shapeOf(prefix, suffix, always ? 'always' : 'auto', await syntaxFor(language));
      assert.equal(shape.multiline, true);
      const result = applyFilters(raw, { prefix, suffix, start: 0, truncated, ...shape });
      assert.equal(result.text, shown);
      const again = applyFilters(result.text, { prefix, suffix, start: 0, ...shape });
      assert.equal(again.text, shown);
    });

    it(`${name}: not without its guard`, async () => {
      const shape = shapeOf(prefix, suffix, always ? 'always' : 'auto', await syntaxFor(language));
      const context = { prefix, suffix, start: 0, truncated, ...shape };
      const off = applyFilters(raw, context, new Set(['syntacticEnd', 'unfinishedLine', 'strayClosers']));
      const cut = applyFilters(raw, context).text.length < raw.length;
      assert.equal(off.text !== shown, cut);
    });
  }
});
