import assert from 'node:assert/strict';
import { WrittenCounter } from '../../../extension/node/writtenCounter.ts';
import { ScriptedCompanion } from '../../fixtures/scriptedCompanion.ts';
import { StandInEditor } from '../../fixtures/vscode/editor.ts';
import * as standIn from '../../fixtures/vscode/standIn.ts';

const MINUTE_MS = 60_000;

describe('characters written', () => {
  let editor: StandInEditor;
  beforeEach(() => {
    editor = new StandInEditor({ text: 'let a;\n', client: new ScriptedCompanion(() => 'first') });
    editor.moveTo('let a'.length);
  });
  afterEach(() => editor.dispose());

  it('are those that are typed, whether or not a suggestion is followed', () => {
    editor.type(' = ');
    editor.type('x');
    editor.type('', 1);
    assert.equal(editor.written, 4);
  });

  it('are those of an accepted suggestion, too', async () => {
    editor.type(' = ');
    const shown = await editor.ask();
    editor.accept(shown!);
    assert.equal(editor.written, ' = first'.length);
  });

  it('are not what is pasted, undone or changed by another program', () => {
    editor.type('x'.repeat(1000));
    const change = (offset: number, reason?: number) =>
      standIn.fire('change', {
        document: editor.document,
        contentChanges: [{ rangeOffset: offset, rangeLength: 0, text: 'abc' }],
        reason,
      });
    change(editor.caret, standIn.TextDocumentChangeReason.Undo);
    change(0);
    assert.equal(editor.written, 0);
  });

  it('are counted by the minute and stored together', () => {
    const rows: [minute: number, chars: number][] = [];
    const counter = new WrittenCounter((...row) => rows.push(row));
    for (const at of [10, MINUTE_MS - 1, MINUTE_MS]) counter.add(2, at);
    assert.deepEqual(rows, []);
    counter.flush();
    counter.flush();
    assert.deepEqual(rows, [
      [0, 4],
      [MINUTE_MS, 2],
    ]);
    counter.add(1);
    counter.forget();
    counter.flush();
    assert.equal(rows.length, 2);
  });
});
