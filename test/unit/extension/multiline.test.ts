import assert from 'node:assert/strict';
import { TypeThroughCache } from '../../../extension/common/cache/typeThroughCache.ts';
import { EditorSim } from './editorSim.ts';

interface Told {
  outcome: string;
  /** What was typed instead; undefined: nothing is told. */
  typed: string | null | undefined;
  /** Half a minute after; undefined: nothing is followed. */
  kept: number | null | undefined;
}

/** A body of two lines suggested in an empty block of this document. */
const DOCUMENT = 'f() {\n  |\n}\nend\n';
const BODY = 'aa();\n  bb();';

const offered = (): EditorSim => new EditorSim(DOCUMENT).offer('a', BODY).wait(800);
const offeredCrlf = (): EditorSim =>
  new EditorSim(DOCUMENT.replaceAll('\n', '\r\n')).offer('a', BODY.replaceAll('\n', '\r\n')).wait(800);

/** Goes to the document's end: the developer is done with these lines. */
const done = (sim: EditorSim): EditorSim => sim.move(sim.text.length).wait(40_000);

describe('a suggestion of several lines', () => {
  const cases: [name: string, run: () => EditorSim, told: Told][] = [
    [
      'accepted',
      () => offered().accept('a', BODY),
      { outcome: 'accepted command', typed: undefined, kept: 1 },
    ],
    [
      'accepted in a document with CRLF',
      () => offeredCrlf().accept('a', BODY.replaceAll('\n', '\r\n')),
      { outcome: 'accepted command', typed: undefined, kept: 1 },
    ],
    [
      'accepted, and its second line deleted',
      () => {
        const sim = offered().accept('a', BODY);
        return sim.edit(sim.caret - 8, 8, '', sim.caret - 8);
      },
      { outcome: 'accepted command', typed: undefined, kept: 0.5 },
    ],
    [
      'typed out, with Enter and the indentation that the editor puts',
      () => offered().type('aa();').insert('\n  ').type('bb();'),
      { outcome: 'typedThrough:13 observed', typed: undefined, kept: 1 },
    ],
    [
      'typed out in a document with CRLF',
      () => offeredCrlf().type('aa();').insert('\r\n  ').type('bb();'),
      { outcome: 'typedThrough:13 observed', typed: undefined, kept: 1 },
    ],
    [
      'taken line by line',
      () =>
        offered()
          .send({ type: 'acceptPart', document: 'file:///a.ts' })
          .insert('aa();')
          .send({ type: 'acceptPart', document: 'file:///a.ts' })
          .insert('\n  bb();'),
      { outcome: 'partiallyAccepted:13 command', typed: undefined, kept: 1 },
    ],
    [
      'of which the first line was taken and another second one typed',
      () =>
        offered()
          .send({ type: 'acceptPart', document: 'file:///a.ts' })
          .insert('aa();')
          .insert('\n  ')
          .type('cc();'),
      { outcome: 'partiallyAccepted:8 command', typed: 'aa();\n  cc();', kept: 1 },
    ],
    [
      'typed against in its second line',
      () => offered().type('aa();').insert('\n  ').type('cc();'),
      { outcome: 'typedThrough:8 observed', typed: 'aa();\n  cc();', kept: undefined },
    ],
    [
      'dismissed, and more lines typed than it had: as many as it had',
      () => offered().escape().type('cc();').insert('\n  ').type('dd();').insert('\n  ').type('ee();'),
      { outcome: 'rejected:escape command', typed: 'cc();\n  dd();', kept: undefined },
    ],
    [
      'dismissed, and fewer lines typed: nothing of what stood below',
      () => offered().escape().type('cc();'),
      { outcome: 'rejected:escape command', typed: 'cc();', kept: undefined },
    ],
    [
      'dismissed in a document with CRLF: the correction has LF',
      () => offeredCrlf().escape().type('cc();').insert('\r\n  ').type('dd();'),
      { outcome: 'rejected:escape command', typed: 'cc();\n  dd();', kept: undefined },
    ],
    [
      'that a filter hid: as many lines as the model wrote',
      () =>
        new EditorSim(DOCUMENT)
          .withhold('a', 'zz();\n  yy();', 'repeatsLineBelow')
          .type('cc();')
          .insert('\n  ')
          .type('dd();')
          .insert('\n  ')
          .type('ee();'),
      { outcome: 'suppressed:repeatsLineBelow command', typed: 'cc();\n  dd();', kept: undefined },
    ],
    [
      'with a bracket that the editor closes, typed out',
      () =>
        new EditorSim('x = |;\n')
          .offer('a', '{\n    aa();\n  }')
          .wait(800)
          .insert('{}', 1)
          .insert('\n    \n  ', 3)
          .type('aa();'),
      { outcome: 'typedThrough:15 observed', typed: undefined, kept: 1 },
    ],
  ];
  for (const [name, run, told] of cases) {
    it(name, () => {
      const sim = done(run());
      const [outcome] = sim.outcomes('a');
      const [typed] = sim.corrections('a');
      assert.deepEqual({ outcome, typed, kept: sim.retention('a')[0]?.[1] }, told);
      assert.equal(sim.outcomes('a').length, 1);
    });
  }

  it('is shown in LF in what is recorded', () => {
    const [event] = done(offeredCrlf().escape()).events;
    assert.ok(event?.kind === 'outcome');
    assert.equal(event.shownText, BODY);
  });
});

describe('the cache of a suggestion of several lines', () => {
  const cases: [made: string, text: string, asked: string, rest: string | undefined][] = [
    [DOCUMENT, BODY, 'f() {\n  aa();|\n}\nend\n', '\n  bb();'],
    [DOCUMENT, BODY, 'f() {\n  aa();\n  |\n}\nend\n', 'bb();'],
    [DOCUMENT, BODY, 'f() {\n  aa();\n  bb|\n}\nend\n', '();'],
    // The editor put other indentation than the suggestion has.
    [DOCUMENT, BODY, 'f() {\n  aa();\n    |\n}\nend\n', undefined],
    [DOCUMENT, BODY, 'f() {\n  aa();\n  |\n  cc();\n}\nend\n', undefined],
    // Enter between brackets leaves a line below that no item may replace.
    ['f() |', '{\n  aa();\n}', 'f() {|}', '\n  aa();\n}'],
    ['f() |', '{\n  aa();\n}', 'f() {\n  |\n}', undefined],
  ];
  for (const [made, text, asked, rest] of cases) {
    it(`made at ${JSON.stringify(made)} as ${JSON.stringify(text)}, asked at ${JSON.stringify(asked)}`, () => {
      const cache = new TypeThroughCache();
      const [before, after] = made.split('|') as [string, string];
      const servedBy = { model: 'm', template: 't', adapterVersion: 1, adapterScale: 1 };
      cache.put({ id: 'a', document: 'd', before, after, text, servedBy });
      const hit = cache.find('d', ...(asked.split('|') as [string, string]));
      assert.equal(hit?.suggestion.text.slice(hit.typed), rest);
    });
  }
});
