import assert from 'node:assert/strict';
import { shapeOf, type MultilineSetting } from '../../../extension/common/syntax/shape.ts';
import { syntaxFor } from './parsers.ts';

type ShapeCase = [language: string, document: string, auto: 'block' | 'line', always: 'several' | 'line'];

/** Documents with their caret as `‸`. */
const cases: ShapeCase[] = [
  // A block that has nothing in it yet.
  ['typescript', 'function sum(a: number): number {\n  ‸\n}\n', 'block', 'several'],
  ['typescript', 'function sum(a: number): number {‸\n}\n', 'line', 'several'],
  ['typescript', 'function sum(a: number): number {\n  ‸', 'block', 'several'],
  ['typescript', 'run(() => {\n  ‸\n});\n', 'block', 'several'],
  ['typescript', 'class A {\n  size(): number {\n    ‸\n  }\n}\n', 'block', 'several'],
  ['typescript', 'class A {\n  ‸\n}\n', 'block', 'several'],
  ['typescript', 'interface A {\n  ‸\n}\n', 'block', 'several'],
  ['typescript', 'switch (a) {\n  ‸\n}\n', 'block', 'several'],
  ['typescript', 'if (a) {\n  b();\n} else {\n  ‸\n}\n', 'block', 'several'],
  ['typescript', 'try {\n  ‸', 'block', 'several'],
  ['javascript', 'for (const one of list) {\n  ‸\n}\n', 'block', 'several'],
  ['typescriptreact', 'function App() {\n  ‸\n}\n', 'block', 'several'],
  ['python', 'def total(values):\n    ‸\n', 'block', 'several'],
  ['python', 'def total(values):‸\n', 'line', 'several'],
  [
    'python',
    'class A:\n    def size(self):\n        ‸\n\n    def other(self):\n        pass\n',
    'block',
    'several',
  ],
  ['python', 'if a:\n    b()\nelse:\n    ‸\n', 'block', 'several'],
  ['python', 'with open(path) as file:\n    ‸\n', 'block', 'several'],
  ['go', 'func sum(a int) int {\n\t‸\n}\n', 'block', 'several'],
  ['java', 'class A {\n  int size() {\n    ‸\n  }\n}\n', 'block', 'several'],
  ['rust', 'fn sum(a: i32) -> i32 {\n    ‸\n}\n', 'block', 'several'],
  // Comments are nothing yet, a docstring neither.
  [
    'typescript',
    'function sum(a: number): number {\n  // Adds.\n  /* b {\n   */\n  ‸\n}\n',
    'block',
    'several',
  ],
  ['python', 'def total(values):\n    """Adds: all."""\n    ‸\n', 'block', 'several'],
  ['python', "def total(values):  # all\n    # Adds.\n    '''Adds\n    all.'''\n    ‸\n", 'block', 'several'],
  // Of what is out of sight there is only the inside.
  ['typescript', '  private size(): number {\n    ‸\n  }\n}\n', 'block', 'several'],
  ['java', '  private int size() {\n    ‸\n  }\n}\n', 'block', 'several'],
  ['javascript', '  headers: {\n    ‸\n  },\n});\n', 'line', 'several'],
  ['python', '    Of a text.\n    """\n    a()\n\ndef total(values):\n    ‸\n', 'block', 'several'],
  // A branch belongs to what it is a branch of.
  ['python', 'try:\n    a()\nexcept Error:\n    ‸\n', 'block', 'several'],
  ['typescript', 'if (a)\n{\n  b();\n}\nelse\n{\n  ‸\n}\n', 'block', 'several'],
  // Something is in it already.
  ['typescript', 'function sum(a: number): number {\n  ‸\n  return a;\n}\n', 'line', 'several'],
  ['typescript', 'function sum(a: number): number {\n  a();\n  ‸\n}\n', 'line', 'several'],
  ['typescript', 'function sum(a: number): number {\n\n  ‸\n}\n', 'line', 'several'],
  ['python', 'def total(values):\n    ‸\n    return 1\n', 'line', 'several'],
  // A bracket or a colon that begins no block.
  ['typescript', 'const a = {\n  ‸\n};\n', 'line', 'several'],
  ['typescript', 'import {\n  ‸\n} from "a";\n', 'line', 'several'],
  ['typescript', 'const {\n  ‸\n} = a;\n', 'line', 'several'],
  ['typescript', 'type A = {\n  ‸\n};\n', 'line', 'several'],
  ['typescriptreact', 'const a = <p>{\n  ‸\n}</p>;\n', 'line', 'several'],
  ['python', 'a = {"b":\n    ‸\n', 'line', 'several'],
  ['python', 'a = lambda:\n    ‸\n', 'line', 'several'],
  ['python', 'b = a[1:\n    ‸\n', 'line', 'several'],
  // Inside a statement.
  ['typescript', 'const a = ‸\n', 'line', 'several'],
  ['typescript', 'if (‸) {\n}\n', 'line', 'line'],
  ['typescript', 'function sum(a: number) {‸}\n', 'line', 'line'],
  // In strings and comments.
  ['typescript', 'const a = `{\n  ‸', 'line', 'line'],
  ['typescript', '// a {‸\n', 'line', 'line'],
  ['typescript', '/* a {\n  ‸\n', 'line', 'line'],
  ['python', 'def f():\n    """Adds:\n    ‸\n', 'line', 'line'],
  ['typescript', "const a = '{‸\n", 'line', 'line'],
];

describe('one line or several', () => {
  for (const [language, document, auto, always] of cases) {
    it(`${language} ${JSON.stringify(document)}: ${auto}, always: ${always}`, async () => {
      const syntax = await syntaxFor(language);
      const [before, after] = document.split('‸') as [string, string];
      const isSeveral = (setting: MultilineSetting) => shapeOf(before, after, setting, syntax).multiline;
      assert.deepEqual(
        { auto: isSeveral('auto'), always: isSeveral('always'), never: isSeveral('never') },
        { auto: auto === 'block', always: always === 'several', never: false },
      );
    });
  }

  it('is one where no parser knows the language', () => {
    assert.deepEqual(shapeOf('function f() {\n  ', '\n}\n', 'always', undefined), {
      multiline: false,
      stop: ['\n'],
    });
  });

  it('does not ask for more behind a closing bracket that stands there', async () => {
    const syntax = await syntaxFor('typescript');
    const open = shapeOf('  if (a) {\n    ', '\n', 'auto', syntax);
    const closed = shapeOf('  if (a) {\n    ', '\n  }\n', 'auto', syntax);
    assert.deepEqual(open.stop, ['\n\n\n']);
    assert.deepEqual(closed.stop, ['\n\n\n', '\n  }']);
  });

  it('is told from the middle of a long document too', async () => {
    const syntax = await syntaxFor('typescript');
    const filler = Array.from({ length: 400 }, (_, i) => `  call${i}(\`a ${i}\`);\n`).join('');
    const before = `function a() {\n${filler}}\n\nclass B {\n  size() {\n${filler.slice(0, 4000)}  }\n\n  count() {\n    `;
    assert.equal(shapeOf(before, '\n  }\n}\n', 'auto', syntax).multiline, true);
  });
});
