import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../../extension/common/contributions.ts';
import { ScriptedCompanion } from '../../fixtures/scriptedCompanion.ts';
import { StandInEditor } from '../../fixtures/vscode/editor.ts';

const TEXT = 'const one = 1;\nconst two = ;\nconst three = 3;\n';
const FIRST = 'const one'.length;
const SECOND = TEXT.indexOf(';\nconst three');
const THIRD = TEXT.indexOf(' = 3');
/** More than a caret has to stay. */
const SETTLED_MS = 80;

describe('reading ahead in the editor', () => {
  let companion: ScriptedCompanion;
  let editor: StandInEditor;

  const open = (settings: Partial<Settings> = {}) => {
    companion = new ScriptedCompanion(() => '2');
    editor = new StandInEditor({ text: TEXT, client: companion, settings: { readAhead: true, ...settings } });
  };
  afterEach(() => editor.dispose());

  it('has the text around the caret read where the caret comes to another line, and nothing written', async () => {
    open();
    editor.moveTo(SECOND);
    await sleep(SETTLED_MS);
    const bodies = companion.asked.map(({ body }) => [
      body.max_tokens,
      body.record,
      body.prompt,
      body.suffix,
    ]);
    assert.deepEqual(bodies, [[0, false, TEXT.slice(0, SECOND), TEXT.slice(SECOND)]]);
    assert.deepEqual([editor.rows, editor.feedback], [[], []]);
  });

  it('reads each line once, whatever is typed there, and the same text as the request after it', async () => {
    open();
    editor.moveTo(SECOND);
    await sleep(SETTLED_MS);
    editor.type('4');
    editor.type('', 1);
    await sleep(SETTLED_MS);
    assert.equal(companion.asked.length, 1);
    await editor.ask();
    const [read, asked] = companion.asked.map(({ body }) => body);
    assert.deepEqual([asked!.prompt, asked!.suffix, asked!.path], [read!.prompt, read!.suffix, read!.path]);
  });

  it('reads the text as it is when keys came before it began', async () => {
    open();
    editor.moveTo(SECOND);
    editor.type('4');
    await sleep(SETTLED_MS);
    const [{ body }] = companion.asked as [(typeof companion.asked)[0]];
    assert.deepEqual([body.prompt, body.suffix], [`${TEXT.slice(0, SECOND)}4`, TEXT.slice(SECOND)]);
  });

  it('reads nothing of a line that the caret only passes, and gives up what it has left', async () => {
    open();
    editor.moveTo(FIRST);
    editor.moveTo(SECOND);
    await sleep(SETTLED_MS);
    assert.deepEqual(
      companion.asked.map(({ body }) => body.offset),
      [SECOND],
    );
    editor.moveTo(THIRD);
    assert.equal(companion.asked[0]!.signal.aborted, true);
  });

  it('reads nothing where it is switched off, where nothing may be completed and where a suggestion is known', async () => {
    open({ readAhead: false });
    editor.moveTo(SECOND);
    await sleep(SETTLED_MS);
    assert.equal(companion.asked.length, 0);
    editor.dispose();

    open({ completionsEnabled: false });
    editor.moveTo(SECOND);
    await sleep(SETTLED_MS);
    assert.equal(companion.asked.length, 0);
    editor.dispose();

    open();
    editor.caret = SECOND;
    assert.equal((await editor.ask())?.text, '2');
    editor.moveTo(THIRD);
    editor.moveTo(SECOND);
    await sleep(SETTLED_MS);
    assert.equal(companion.asked.length, 1);
  });
});
