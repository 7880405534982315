import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InlineCompletionContext, Position, TextDocument } from 'vscode';
import type { CompletionRequestInput } from '../../../extension/common/contracts/index.ts';
import { ScriptedCompanion } from '../../fixtures/scriptedCompanion.ts';
import { StandInEditor } from '../../fixtures/vscode/editor.ts';
import { InlineCompletionTriggerKind } from '../../fixtures/vscode/standIn.ts';

const NEVER = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => {} }) };

describe('requests of one document', () => {
  let companion: ScriptedCompanion;
  let editor: StandInEditor;
  let answer: () => void;

  beforeEach(() => {
    companion = new ScriptedCompanion(() => 'first');
    const waiting = new Promise<void>((resolve) => (answer = resolve));
    const complete = async (body: CompletionRequestInput, signal: AbortSignal) => {
      const answered = companion.complete(body, signal);
      await waiting;
      return answered;
    };
    editor = new StandInEditor({ text: 'let a = ;\n', client: { complete, shown: companion.shown } });
    editor.moveTo('let a = '.length);
  });
  afterEach(() => editor.dispose());

  /** As an editor would that forgets to cancel the request before. */
  const ask = (triggerKind = InlineCompletionTriggerKind.Invoke) =>
    editor.provider.provideInlineCompletionItems(
      editor.document as unknown as TextDocument,
      editor.document.positionAt(editor.caret) as unknown as Position,
      { triggerKind } as InlineCompletionContext,
      NEVER,
    );

  it('are one at a time: the next one ends the one before', async () => {
    const first = ask();
    await sleep(1);
    const second = ask();
    await sleep(1);
    assert.deepEqual(
      companion.asked.map(({ signal }) => signal.aborted),
      [true, false],
    );
    answer();
    assert.deepEqual(await first, []);
    assert.equal((await second).length, 1);
  });

  it('that wait for a pause in typing are never sent when the next key comes', async () => {
    const first = ask(InlineCompletionTriggerKind.Automatic);
    const second = ask(InlineCompletionTriggerKind.Automatic);
    answer();
    assert.deepEqual(await first, []);
    assert.equal((await second).length, 1);
    assert.equal(companion.asked.length, 1);
  });
});
