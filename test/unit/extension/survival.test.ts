import assert from 'node:assert/strict';
import { retainedFraction } from '../../../extension/common/outcome/index.ts';
import { EditorSim } from './editorSim.ts';

const accepted = (marked: string, insertText: string) =>
  new EditorSim(marked).offer('a', insertText).wait(800).accept('a', insertText);

describe('survival', () => {
  it('is measured four times', () => {
    assert.deepEqual(accepted('x = |', 'foo(1)').wait(700_000).retention('a'), [
      [30, 1],
      [120, 1],
      [300, 1],
      [600, 1],
    ]);
  });

  const cases: { name: string; run: () => EditorSim; after30s: number | null }[] = [
    { name: 'undone', run: () => accepted('x = |', 'foo(1)').edit(4, 6, '', 4, 'undo'), after30s: 0 },
    {
      name: 'undone and redone',
      run: () => accepted('x = |', 'foo(1)').edit(4, 6, '', 4, 'undo').edit(4, 0, 'foo(1)', 10, 'redo'),
      after30s: 1,
    },
    { name: 'half deleted', run: () => accepted('x = |', 'foobar;(a,b)').edit(10, 6, '', 10), after30s: 0.5 },
    {
      name: 'typed around',
      run: () => accepted('x = |;', 'foo').edit(0, 0, 'let ', 4).edit(11, 0, ' y', 13),
      after30s: 1,
    },
    {
      name: 're-indented',
      run: () => accepted('|', 'if (a) {\n  b()\n}').edit(9, 2, '        ', 17, 'tool'),
      after30s: 1,
    },
    {
      name: 'document replaced by a formatter',
      run: () => {
        const sim = accepted('x=|', 'foo(1,2)');
        return sim.edit(0, sim.text.length, 'x = foo(1, 2);\n', 0, 'tool');
      },
      after30s: 1,
    },
    {
      name: 'document reverted',
      run: () => {
        const sim = accepted('x = |;', 'foo(1,2)');
        return sim.edit(0, sim.text.length, 'x = ;', 0, 'tool');
      },
      after30s: 0,
    },
    {
      name: 'file deleted',
      run: () => accepted('|', 'foo').send({ type: 'deleted', document: 'file:///a.ts' }),
      after30s: 0,
    },
    {
      name: 'editor closed',
      run: () => accepted('|', 'foo').send({ type: 'closed', document: 'file:///a.ts' }),
      after30s: null,
    },
    {
      name: 'file renamed',
      run: () => accepted('|', 'foo').send({ type: 'renamed', document: 'file:///a.ts', to: 'file:///b.ts' }),
      after30s: 1,
    },
    {
      name: 'file renamed before it was known that the text was taken',
      run: () =>
        new EditorSim('|')
          .offer('a', 'foo')
          .wait(800)
          .type('foo')
          .send({ type: 'renamed', document: 'file:///a.ts', to: 'file:///b.ts' }),
      after30s: 1,
    },
  ];
  for (const { name, run, after30s } of cases) {
    it(name, () => {
      assert.deepEqual(run().wait(31_000).retention('a'), [[30, after30s]]);
    });
  }

  it('is unknown from when the window closes', () => {
    const sim = accepted('|', 'foo').wait(40_000).send({ type: 'shutdown' });
    assert.deepEqual(sim.retention('a'), [
      [30, 1],
      [120, null],
      [300, null],
      [600, null],
    ]);
  });

  it('counts words by their length', () => {
    assert.equal(retainedFraction('alpha(beta)', 'alpha(gamma)'), 7 / 11);
    assert.equal(retainedFraction('return a;', 'const b,'), 0);
    assert.equal(retainedFraction('\n', 'a\r\nb'), 1);
  });
});
