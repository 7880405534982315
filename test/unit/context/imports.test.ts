import assert from 'node:assert/strict';
import { importsOf, resolveImport } from '../../../extension/common/context/imports.ts';

const STATEMENTS: [string, string, string[]][] = [
  ["import { a, type B as C } from './x.js';", './x.js', ['a', 'B']],
  ["import type { Deep } from '../deep.ts'", '../deep.ts', ['Deep']],
  ['import {\n  one,\n  two,\n} from "./many";', './many', ['one', 'two']],
  ["import fallback, { named } from './both.js'; // why", './both.js', ['named']],
  ["import './side-effect.js';", './side-effect.js', []],
  ["export { again } from './again.js';", './again.js', ['again']],
  ["const { join, sep } = require('./paths');", './paths', ['join', 'sep']],
  ['from .models import User, Group as G', '.models', ['User', 'Group']],
  ['from ..core.errors import (\n    NotFound,\n    Conflict,\n)', '..core.errors', ['NotFound', 'Conflict']],
  ['import package.module', 'package.module', []],
];
const NONE = ["const later = import('./lazy.js');", "const text = 'import x from y';", 'importance = 3', ''];

describe('imports of a file', () => {
  for (const [statement, specifier, names] of STATEMENTS) {
    it(JSON.stringify(statement), () => {
      const found = importsOf(`\n${statement}\nrest();\n`);
      const lastLine = statement.split('\n').length;
      assert.deepEqual(found, [{ specifier, names, firstLine: 1, lastLine }]);
    });
  }
  for (const text of NONE) it(`none in ${JSON.stringify(text)}`, () => assert.deepEqual(importsOf(text), []));

  it('an import that never ends is none', () =>
    assert.deepEqual(importsOf(`import { a,\n${'b,\n'.repeat(200)}`), []));
});

const FILES = new Set([
  'src/a.ts',
  'src/deep/index.ts',
  'src/ui/view.tsx',
  'lib/b.js',
  'app/models.py',
  'app/core/__init__.py',
]);
const RESOLVED: [string, string, string | undefined][] = [
  ['./a.js', 'src/main.ts', 'src/a.ts'],
  ['./a', 'src/main.ts', 'src/a.ts'],
  ['../a.ts', 'src/ui/view.tsx', 'src/a.ts'],
  ['./deep', 'src/main.ts', 'src/deep/index.ts'],
  ['./ui/view', 'src/main.ts', 'src/ui/view.tsx'],
  ['react', 'src/main.ts', undefined],
  ['./gone', 'src/main.ts', undefined],
  ['../../../a', 'src/main.ts', undefined],
  ['.models', 'app/views.py', 'app/models.py'],
  ['app.models', 'app/views.py', 'app/models.py'],
  ['..core', 'app/api/views.py', 'app/core/__init__.py'],
  ['models', 'app/views.py', 'app/models.py'],
  ['os', 'app/views.py', undefined],
];

describe('what an import means', () => {
  for (const [specifier, from, path] of RESOLVED) {
    it(`${specifier} in ${from}`, () =>
      assert.equal(
        resolveImport(specifier, from, (file) => FILES.has(file)),
        path,
      ));
  }
});
