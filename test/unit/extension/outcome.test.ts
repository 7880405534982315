import assert from 'node:assert/strict';
import { EditorSim } from './editorSim.ts';

interface Case {
  name: string;
  run: () => EditorSim;
  outcome: string;
}

const offered = (marked: string, insertText: string, shownMs = 800) =>
  new EditorSim(marked).offer('a', insertText).wait(shownMs);

const cases: Case[] = [
  { name: 'Tab', run: () => offered('x = |', 'foo(1)').accept('a', 'foo(1)'), outcome: 'accepted command' },
  {
    name: 'Tab right after the display',
    run: () => offered('x = |', 'foo(1)', 60).accept('a', 'foo(1)'),
    outcome: 'accepted command',
  },
  {
    name: 'Tab on an item that replaces the bracket behind the caret',
    run: () => new EditorSim('foo(|)').offer('a', 'bar)', { replaced: 1 }).wait(800).accept('a', 'bar)', 1),
    outcome: 'accepted command',
  },
  {
    name: 'Tab, where the editor leaves the bracket alone',
    run: () => {
      const sim = new EditorSim('foo(|)').offer('a', 'bar)', { replaced: 1 }).wait(800).insert('bar');
      return sim.move(8).send({ type: 'accept', id: 'a' });
    },
    outcome: 'accepted command',
  },
  {
    name: 'accept command after an edit that looks like typing against',
    run: () => offered('x = |', 'foo').insert('fo o').wait(500).send({ type: 'accept', id: 'a' }),
    outcome: 'accepted command',
  },
  { name: 'Escape', run: () => offered('x = |', 'foo').escape(), outcome: 'rejected:escape command' },
  {
    name: 'Escape before it can have been read',
    run: () => offered('x = |', 'foo', 300).escape(),
    outcome: 'ignored command',
  },
  {
    name: 'another key',
    run: () => offered('x = |', 'foo').type('b'),
    outcome: 'rejected:typedAgainst observed',
  },
  {
    name: 'another key before it can have been read',
    run: () => offered('x = |', 'foo', 700).type('b'),
    outcome: 'ignored inferred',
  },
  {
    name: 'caret moved away',
    run: () => offered('x = |\ny', 'foo').move(5),
    outcome: 'rejected:movedAway observed',
  },
  {
    name: 'another editor took the focus',
    run: () => offered('x = |', 'foo').send({ type: 'focus', document: 'file:///b.ts' }),
    outcome: 'rejected:movedAway observed',
  },
  {
    name: 'the window lost the focus',
    run: () => offered('x = |', 'foo').send({ type: 'focus', document: null }),
    outcome: 'ignored observed',
  },
  {
    name: 'out of focus from the start',
    run: () =>
      new EditorSim('x = |').send({ type: 'focus', document: null }).offer('a', 'foo').wait(2000).type('b'),
    outcome: 'ignored inferred',
  },
  {
    name: 'typed out',
    run: () => offered('x = |', 'foo(1)').type('foo(1)'),
    outcome: 'typedThrough:6 observed',
  },
  {
    name: 'typed out without a pause',
    run: () => offered('x = |', 'foo(1)', 50).type('foo(1)'),
    outcome: 'typedThrough:6 inferred',
  },
  {
    name: 'typed in part, then against',
    run: () => offered('x = |', 'foo(1)').type('foo').type('['),
    outcome: 'typedThrough:3 observed',
  },
  {
    name: 'typed in part in haste, then against',
    run: () => offered('x = |', 'foo(1)', 50).type('foo['),
    outcome: 'ignored inferred',
  },
  {
    name: 'typed through an auto-closed bracket',
    run: () => offered('|', 'foo(1);').type('foo').insert('()', 1).type('1').move(6).type(';'),
    outcome: 'typedThrough:7 observed',
  },
  {
    name: 'typed through a line break that the editor indents',
    run: () =>
      offered('|', 'if (a) {\n  b();\n}').type('if (a) ').insert('{}', 1).insert('\n  \n', 1).type('b'),
    outcome: '',
  },
  {
    name: 'backspace and retyped',
    run: () => offered('x = |', 'foo').type('fo').backspace(2).type('foo'),
    outcome: 'typedThrough:3 observed',
  },
  {
    name: 'backspace beyond its start',
    run: () => offered('x = |', 'foo').backspace(),
    outcome: 'ignored observed',
  },
  {
    name: 'a slip that is taken back and offered again',
    run: () => offered('x = |', 'foo').type('g').wait(300).backspace().offer('a', 'foo').accept('a', 'foo'),
    outcome: 'accepted command',
  },
  {
    name: "the editor's own accept-word, then against",
    run: () => offered('|', 'foo bar baz').insert('foo ').type('x'),
    outcome: 'partiallyAccepted:4 observed',
  },
  {
    name: 'our accept-word twice, then moved away',
    run: () =>
      offered('|\n', 'foo bar baz')
        .send({ type: 'acceptPart', document: 'file:///a.ts' })
        .insert('foo ')
        .send({ type: 'acceptPart', document: 'file:///a.ts' })
        .insert('bar ')
        .move(9),
    outcome: 'partiallyAccepted:8 command',
  },
  {
    name: 'our accept-word of a single bracket',
    run: () =>
      offered('foo|', '(a, b)').send({ type: 'acceptPart', document: 'file:///a.ts' }).insert('(').type('x'),
    outcome: 'partiallyAccepted:1 command',
  },
  {
    name: 'accept-word, then Tab',
    run: () => offered('|', 'foo bar').insert('foo ').accept('a', 'bar'),
    outcome: 'accepted command',
  },
  {
    name: 'superseded',
    run: () => offered('|', 'foo').offer('b', 'foobar'),
    outcome: 'ignored:b observed',
  },
  {
    name: 'typed against, but the successor goes on with the same line',
    run: () => offered('|', 'foo(a)').type('foo').insert('(', 0).insert(' ').backspace().offer('b', 'a)'),
    outcome: 'ignored:b observed',
  },
  {
    name: 'suggest widget took it',
    run: () =>
      new EditorSim('con|').offer('a', 'console', { start: 0, suggestWidget: true }).wait(900).insert('sole'),
    outcome: 'ignored inferred',
  },
  {
    name: 'closed',
    run: () => offered('|', 'foo').send({ type: 'closed', document: 'file:///a.ts' }),
    outcome: 'ignored observed',
  },
  {
    name: 'CRLF counted as LF',
    run: () => offered('|', 'a\r\nb').insert('a\r\n').type('x'),
    outcome: 'partiallyAccepted:2 observed',
  },
  {
    name: 'an edit above moves it',
    run: () => offered('x\ny = |', 'foo').edit(0, 1, 'longer', 11, 'tool').wait(800).type('foo'),
    outcome: 'typedThrough:3 observed',
  },
  {
    name: 'typed with several carets',
    run: () => offered('a = \nb = |\n', 'foo').insertTwice(4, 'f').insertTwice(5, 'o').insertTwice(6, 'o'),
    outcome: 'typedThrough:3 observed',
  },
  {
    name: 'typed against with several carets',
    run: () => offered('a = \nb = |\n', 'foo').insertTwice(4, 'x'),
    outcome: 'rejected:typedAgainst observed',
  },
  {
    name: 'hidden by a filter',
    run: () => new EditorSim('|').withhold('a', 'x', 'bracket'),
    outcome: 'suppressed:bracket command',
  },
  { name: 'silence', run: () => new EditorSim('|').withhold('a', '', null), outcome: 'silent command' },
  {
    name: 'answered, but cancelled before it could be shown',
    run: () => new EditorSim('x = |').drop('a', 'foo', false).type('bar').escape(),
    outcome: 'ignored inferred',
  },
  {
    name: 'held back for the suggest widget, and typed against',
    run: () => new EditorSim('x = |').hold('a', 'foo').wait(2000).type('bar').wait(9000),
    outcome: 'ignored inferred',
  },
  {
    name: 'held back for the suggest widget, and never shown because another one came',
    run: () => new EditorSim('x = |').hold('a', 'foo').wait(900).offer('b', 'bar').wait(9000).escape(),
    outcome: 'ignored inferred',
  },
  {
    name: 'held back, then shown and typed against',
    run: () => new EditorSim('x = |').hold('a', 'foo').wait(2000).offer('a', 'foo').wait(800).type('b'),
    outcome: 'rejected:typedAgainst observed',
  },
  {
    name: 'held back, then shown for a moment',
    run: () => new EditorSim('x = |').hold('a', 'foo').wait(2000).offer('a', 'foo').wait(300).escape(),
    outcome: 'ignored command',
  },
  {
    name: 'covered by the suggest widget before it can have been read',
    run: () => offered('x = |', 'foo', 300).hold('a', 'foo').wait(2000).type('b'),
    outcome: 'ignored inferred',
  },
  {
    name: 'covered, uncovered and read',
    run: () => offered('x = |', 'foo', 300).hold('a', 'foo').offer('a', 'foo').wait(800).type('b'),
    outcome: 'rejected:typedAgainst observed',
  },
  {
    name: "the editor's own events",
    run: () =>
      new EditorSim('|')
        .offer('a', 'foo')
        .send({ type: 'editorShown', id: 'a' })
        .wait(800)
        .send({ type: 'editorEnded', id: 'a', reason: 'ignored', typedAgainst: true }),
    outcome: 'rejected:typedAgainst event',
  },
];

describe('outcome of a completion', () => {
  it('is not ended by the end of an item object while the suggestion is typed out', () => {
    const sim = new EditorSim('|').offer('a', 'foo').send({ type: 'editorShown', id: 'a' }).wait(800);
    sim
      .type('f')
      .send({ type: 'editorEnded', id: 'a', reason: 'ignored' })
      .offer('a', 'oo')
      .type('oo')
      .wait(2000);
    assert.deepEqual(sim.outcomes('a'), ['typedThrough:3 event']);
  });

  for (const { name, run, outcome } of cases) {
    it(name, () => {
      const sim = run().wait(2000);
      assert.deepEqual(sim.outcomes('a'), outcome === '' ? [] : [outcome]);
    });
  }

  for (const end of ['type', 'escape', 'move'] as const) {
    it(`is no rejection of what an editor that tells never displayed (${end})`, () => {
      const sim = new EditorSim('x = |\ny').offer('b', 'bar').send({ type: 'editorShown', id: 'b' });
      sim.wait(800).type('z').offer('a', 'foo').wait(2000);
      if (end === 'type') sim.type('q');
      if (end === 'escape') sim.escape();
      if (end === 'move') sim.move(7);
      sim.wait(2000);
      assert.deepEqual(sim.outcomes('a'), ['ignored inferred']);
      const [event] = sim.events.filter(({ completionId }) => completionId === 'a');
      assert.ok(event?.kind === 'outcome' && event.outcome.kind === 'ignored');
      assert.deepEqual([event.shownMs, event.outcome.shownMs], [0, 0]);
    });
  }

  it('of one that was never shown goes with what was typed there, where that is known', () => {
    const sim = new EditorSim('x = |').drop('a', 'foo', false).type('bar').wait(11_000);
    assert.deepEqual(sim.corrections('a'), ['bar']);
    const changed = new EditorSim('x = |').drop('a', 'foo', true).type('bar').wait(11_000);
    assert.deepEqual(changed.corrections('a'), [null]);
    const [event] = sim.events;
    assert.ok(event?.kind === 'outcome');
    assert.equal(event.shownText, '');
  });

  it('of one that is held back waits for its offer, and is final when none came', () => {
    const sim = new EditorSim('x = |').hold('a', 'foo').wait(9000);
    assert.deepEqual([sim.outcomes('a'), sim.tracker.isOpen('a')], [[], true]);
    sim.wait(2000);
    assert.deepEqual([sim.outcomes('a'), sim.tracker.isOpen('a')], [['ignored inferred'], false]);
    sim.offer('a', 'foo').wait(800).escape().wait(2000);
    assert.deepEqual(sim.outcomes('a'), ['ignored inferred']);
  });

  it('is one that the companion takes, also when the clock was set back', () => {
    for (const end of ['accept', 'escape'] as const) {
      const sim = offered('x = |', 'foo');
      sim.at -= 60 * 60 * 1000;
      if (end === 'accept') sim.accept('a', 'foo');
      else sim.escape();
      const [event] = sim.events;
      assert.ok(event?.kind === 'outcome' && event.shownMs === 0);
    }
  });

  it('is not decided before the accept command had its chance', () => {
    const sim = offered('x = |', 'foo').insert('foo');
    assert.deepEqual(sim.outcomes('a'), []);
    sim.wait(900).send({ type: 'accept', id: 'a' }).wait(5000);
    assert.deepEqual(sim.outcomes('a'), ['accepted command']);
  });

  it('of a dismissed one is final at once, so that no cache brings it back', () => {
    const sim = offered('x = |', 'foo').escape();
    assert.deepEqual(sim.outcomes('a'), ['rejected:escape command']);
    assert.equal(sim.tracker.isOpen('a'), false);
  });

  it('stays the first one, whatever comes later', () => {
    const sim = offered('x = |', 'foo').type('b').wait(20_000).send({ type: 'accept', id: 'a' });
    sim.offer('a', 'foo').escape().send({ type: 'editorEnded', id: 'a', reason: 'accepted' }).wait(5000);
    assert.deepEqual(sim.outcomes('a'), ['rejected:typedAgainst observed']);
  });

  it('is settled for everything open when the window closes', () => {
    const sim = offered('|', 'foo').send({ type: 'shutdown' });
    assert.deepEqual(sim.outcomes('a'), ['ignored observed']);
    assert.deepEqual(sim.corrections('a'), [null]);
  });

  it('carries what was shown', () => {
    const sim = new EditorSim('con|')
      .offer('a', 'console.log(\r\n)', { start: 0, filters: ['trim'] })
      .wait(900);
    sim.escape().wait(2000);
    const [event] = sim.events;
    assert.ok(event?.kind === 'outcome');
    assert.equal(event.shownText, 'sole.log(\n)');
    assert.deepEqual(event.filters, ['trim']);
    assert.equal(event.shownMs, 900);
    assert.equal(event.offset, 3);
  });
});
