import assert from 'node:assert/strict';
import { EditorSim } from './editorSim.ts';

const offered = (marked: string, insertText: string) =>
  new EditorSim(marked).offer('a', insertText).wait(800);

describe('correction', () => {
  const cases: { name: string; run: () => EditorSim; typed: string | null | undefined }[] = [
    {
      name: 'is what was typed when the caret leaves the line',
      run: () => offered('x = |\ny', 'foo').type('bar()').move(10).wait(1100),
      typed: 'bar()',
    },
    {
      name: 'is read after ten quiet seconds',
      run: () => offered('x = |', 'foo').type('ba').wait(9000).type('r').wait(10_000),
      typed: 'bar',
    },
    {
      name: 'is not read while someone types',
      run: () => offered('x = |', 'foo').type('ba').wait(9000).type('r').wait(9000),
      typed: undefined,
    },
    {
      name: 'is read after a minute at most',
      run: () => {
        const sim = offered('x = |', 'foo');
        for (let second = 0; second < 61; second += 5) sim.type('b').wait(5000);
        return sim;
      },
      typed: 'bbbbbbbbbbbb',
    },
    {
      name: 'ends with the line when Enter is pressed',
      run: () => offered('  x = |', 'foo').type('bar').insert('\n  ').type('y').wait(1100),
      typed: 'bar',
    },
    {
      name: 'spans as many lines as the suggestion',
      run: () =>
        offered('|\nend', 'foo(\n  1,\n)')
          .type('bar(')
          .insert('\n  ')
          .type('2)')
          .insert('\n')
          .move(0)
          .wait(1)
          .move(14)
          .wait(11_000),
      typed: 'bar(\n  2)\n',
    },
    {
      name: 'leaves out what stood behind the caret',
      run: () => offered('foo(|);\n', 'a').type('bb').move(9).wait(1100),
      typed: 'bb',
    },
    {
      name: 'has a placeholder for a secret, also for one that its name in front tells',
      run: () =>
        offered('AWS_SECRET_ACCESS_KEY = |\ny', 'read()')
          .type(`"${'a1B2c3D4'.repeat(5)}"`)
          .move(0)
          .wait(1)
          .move(68)
          .wait(1100),
      typed: `"${'MASKED'.repeat(6)}MASK"`,
    },
    {
      name: 'is empty when nothing was typed',
      run: () => offered('x = |\ny', 'foo').move(5).wait(1100),
      typed: '',
    },
    {
      name: 'has LF line ends',
      run: () => offered('|', 'a\r\nb').insert('c\r\nd').wait(11_000),
      typed: 'c\nd',
    },
    {
      name: 'is unknown after undo',
      run: () => offered('x = |', 'foo').type('bar').edit(4, 3, '', 4, 'undo').wait(11_000),
      typed: null,
    },
    {
      name: 'is unknown after a large paste',
      run: () => offered('x = |', 'foo').insert('p'.repeat(201), 0, 'paste').wait(11_000),
      typed: null,
    },
    {
      name: 'takes a small paste',
      run: () => offered('x = |', 'foo').insert('p'.repeat(200), 0, 'paste').wait(11_000),
      typed: 'p'.repeat(200),
    },
    {
      name: "is unknown after another tool's edit there",
      run: () => offered('x = |', 'foo').type('bar').edit(4, 3, 'baz', 7, 'tool').wait(11_000),
      typed: null,
    },
    {
      name: "does not mind another tool's edit elsewhere",
      run: () => offered('x = |\ny = 1', 'foo').type('bar').edit(8, 1, 'yy', 7, 'tool').wait(11_000),
      typed: 'bar',
    },
    {
      name: 'is unknown when the text in front changed',
      run: () => offered('x = |', 'foo').backspace(2).type('== 3').wait(11_000),
      typed: null,
    },
    {
      name: 'is unknown when the document was closed',
      run: () =>
        offered('x = |', 'foo').type('b').send({ type: 'closed', document: 'file:///a.ts' }).wait(1100),
      typed: null,
    },
    {
      name: 'is not asked for after Tab',
      run: () => offered('x = |', 'foo').accept('a', 'foo').wait(90_000),
      typed: undefined,
    },
    {
      name: 'is not asked for when typed out',
      run: () => offered('x = |', 'foo').type('foo').wait(90_000),
      typed: undefined,
    },
    {
      name: 'comes for an ignored one',
      run: () => new EditorSim('x = |').offer('a', 'foo').wait(50).type('bar').wait(12_000),
      typed: 'bar',
    },
    {
      name: 'comes for silence',
      run: () => new EditorSim('x = |').withhold('a', '', null).type('bar').wait(12_000),
      typed: 'bar',
    },
    {
      name: 'follows a renamed file',
      run: () =>
        offered('x = |', 'foo')
          .type('ba')
          .send({ type: 'renamed', document: 'file:///a.ts', to: 'file:///b.ts' })
          .wait(12_000),
      typed: 'ba',
    },
  ];
  for (const { name, run, typed } of cases) {
    it(name, () => {
      assert.deepEqual(run().corrections('a'), typed === undefined ? [] : [typed]);
    });
  }

  it('comes once, after the outcome', () => {
    const sim = offered('x = |\ny', 'foo').type('bar').move(8).wait(90_000);
    assert.deepEqual(
      sim.events.map((event) => event.kind),
      ['outcome', 'correction'],
    );
  });
});
