import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../../extension/common/contributions.ts';
import { afterAccepting, samePlace } from '../../../extension/common/suggestion/surroundings.ts';
import { ScriptedCompanion } from '../../fixtures/scriptedCompanion.ts';
import { StandInEditor } from '../../fixtures/vscode/editor.ts';

const TEXT = 'const total = ;\nconst other = 1;\n';
const CARET = 'const total = '.length;
/** What is suggested behind each text. */
const SCRIPT: [behind: string, text: string][] = [
  ['= ', 'first'],
  ['first', '.second'],
  ['.second', '.third'],
];
/** More than it takes until a preparation begins, and is answered. */
const PREPARED_MS = 260;

describe('look-ahead in the editor', () => {
  let companion: ScriptedCompanion;
  let editor: StandInEditor;

  const open = (settings: Partial<Settings> = {}) => {
    companion = new ScriptedCompanion(
      ({ prompt }) => SCRIPT.find(([behind]) => prompt.endsWith(behind))?.[1] ?? '',
    );
    editor = new StandInEditor({ text: TEXT, client: companion, settings: { lookAhead: true, ...settings } });
    editor.moveTo(CARET);
  };
  const shownAndPrepared = async () => {
    const shown = await editor.ask();
    assert.equal(shown?.text, 'first');
    await sleep(PREPARED_MS);
    return shown;
  };
  const outcomes = () =>
    editor.feedback.flatMap((event) =>
      event.kind === 'outcome' ? [`${event.outcome.kind} ${event.completionId}`] : [],
    );
  afterEach(() => editor.dispose());

  it('is there at once after Tab, recorded as shown once, and followed by the next', async () => {
    open();
    const first = await shownAndPrepared();
    assert.equal(companion.asked.length, 2);
    editor.accept(first);
    const second = await editor.ask();
    assert.equal(second?.text, '.second');
    assert.equal(companion.asked.length, 2, 'nothing new was asked');
    const [ahead] = companion.ahead;
    assert.equal(second.id, ahead!.id);
    assert.equal(ahead!.body.offset, CARET + 'first'.length);
    assert.deepEqual(companion.shownIds, [{ id: second.id, document_version: editor.document.version }]);
    assert.deepEqual(
      editor.rows.map(({ id, shownText, offset }) => [id, shownText, offset]),
      [
        [first.id, 'first', CARET],
        [second.id, '.second', CARET + 'first'.length],
      ],
    );
    await sleep(PREPARED_MS);
    editor.accept(second);
    assert.equal((await editor.ask())?.text, '.third');
    assert.deepEqual(outcomes(), [`accepted ${first.id}`, `accepted ${second.id}`]);
  });

  it('is there when the suggestion was typed out', async () => {
    open();
    await shownAndPrepared();
    for (const key of 'first') {
      editor.type(key);
      await editor.ask();
    }
    const second = await editor.ask();
    assert.equal(second?.text, '.second');
    assert.equal(companion.asked.length, 2);
    assert.equal(companion.shownIds.length, 1);
  });

  it('is waited for when it is under way', async () => {
    open();
    let answer = () => {};
    companion.aheadMayAnswer = new Promise((resolve) => (answer = resolve));
    editor.accept(await shownAndPrepared());
    const second = editor.ask();
    answer();
    assert.equal((await second)?.id, companion.ahead[0]!.id);
    assert.equal(companion.asked.length, 2);
  });

  it('leaves no row, no record and no outcome when it is not shown, and ends with the next key', async () => {
    open();
    companion.aheadMayAnswer = new Promise(() => {});
    const first = await shownAndPrepared();
    editor.type('x');
    await editor.ask();
    const [ahead] = companion.ahead;
    assert.ok(ahead!.signal.aborted);
    editor.capture.shutdown();
    assert.deepEqual(companion.shownIds, []);
    assert.ok(!editor.rows.some(({ id }) => id === ahead!.id));
    assert.ok(!outcomes().some((outcome) => outcome.endsWith(ahead!.id)));
    assert.ok(outcomes().some((outcome) => outcome.endsWith(first.id)));
  });

  it('is not begun for a suggestion that is typed over, or dismissed, at once', async () => {
    open();
    await editor.ask();
    editor.type('x');
    await editor.ask();
    await sleep(PREPARED_MS);
    assert.equal(companion.ahead.length, 0);
    editor.type('= ', 1);
    assert.equal((await editor.ask())?.text, 'first');
    editor.capture.escaped();
    await sleep(PREPARED_MS);
    assert.equal(companion.ahead.length, 0);
  });

  it('is asked for anew when the companion has it no more', async () => {
    open();
    const first = await shownAndPrepared();
    companion.kept.clear();
    editor.accept(first);
    const second = await editor.ask();
    assert.equal(second?.text, '.second');
    assert.notEqual(second.id, companion.ahead[0]!.id);
    assert.deepEqual(
      editor.rows.map(({ id }) => id),
      [first.id, second.id],
    );
  });

  it('writes nothing with tracking off', async () => {
    open({ trackingEnabled: false });
    editor.accept(await shownAndPrepared());
    assert.equal((await editor.ask())?.id, companion.ahead[0]!.id);
    assert.equal(companion.ahead[0]!.body.record, false);
    assert.deepEqual([companion.shownIds, editor.rows, editor.feedback], [[], [], []]);
  });

  it('is forgotten when recording is switched off, though it is on again', async () => {
    open();
    const first = await shownAndPrepared();
    for (const recording of [false, true]) {
      editor.provider.forget();
      editor.capture.restart(recording);
    }
    editor.accept(first);
    assert.notEqual((await editor.ask())?.id, companion.ahead[0]!.id);
    assert.deepEqual(companion.shownIds, []);
  });

  it('is not shown when another adapter serves by now', async () => {
    open();
    const first = await shownAndPrepared();
    editor.cache.serve({ adapterVersion: 9 });
    editor.accept(first);
    await editor.ask();
    assert.equal(companion.asked.length, 3);
    assert.deepEqual(companion.shownIds, []);
  });

  it('is off where the setting says so', async () => {
    open({ lookAhead: false });
    await shownAndPrepared();
    assert.equal(companion.ahead.length, 0);
  });
});

describe('the surroundings after accepting', () => {
  const cases: [marked: string, text: string, replaced: number][] = [
    ['a = |;\n', 'b', 0],
    ['a = f(|)\n', 'x)', 1],
    ['if (a) {|\n}', '\n  b();\n', 0],
  ];
  for (const [marked, text, replaced] of cases) {
    for (const eol of ['\n', '\r\n'] as const) {
      it(`${JSON.stringify(marked)} and ${JSON.stringify(text)}, ${JSON.stringify(eol)}`, () => {
        const [before, after] = marked.split('|') as [string, string];
        const expected = aroundOf(before + text, after.slice(replaced), eol);
        const found = afterAccepting(aroundOf(before, after, eol), text, replaced);
        assert.deepEqual(found, expected);
        assert.ok(samePlace(found, expected));
        assert.ok(!samePlace(found, aroundOf(before, after, eol)));
      });
    }
  }

  function aroundOf(before: string, after: string, eol: '\n' | '\r\n') {
    return {
      before,
      after,
      lineSuffix: after.split('\n')[0]!,
      eol,
      offset: before.replaceAll('\n', eol).length,
      lfOffset: before.length,
    };
  }
});
