import assert from 'node:assert/strict';
import type { CompletionResponse } from '../../../extension/common/contracts/index.ts';
import type { DisplayFilterSetting } from '../../../extension/common/contributions.ts';
import { drawOf, EXPLORED_SHARE } from '../../../extension/common/display/decision.ts';
import { ScriptedCompanion } from '../../fixtures/scriptedCompanion.ts';
import { StandInEditor } from '../../fixtures/vscode/editor.ts';

const TEXT = 'const total = ;\n';

describe('the display filter in the editor', () => {
  let editor: StandInEditor;
  /** Ends of the ids that the companion gives: the filter's dice. */
  const USUAL = 'ffffffff';
  const EXPLORED = '00000001';

  function open(displayFilter: DisplayFilterSetting, after: number | undefined, end = USUAL): void {
    const scripted = new ScriptedCompanion(() => 'first');
    const acceptance = { before: 0.3, threshold: 0.1, ...(after === undefined ? {} : { after }) };
    const complete = async (...args: Parameters<ScriptedCompanion['complete']>) => {
      const answer: CompletionResponse = await scripted.complete(...args);
      return { ...answer, id: answer.id.slice(0, -end.length) + end, acceptance };
    };
    const client = { complete, shown: scripted.shown };
    editor = new StandInEditor({ text: TEXT, client, settings: { displayFilter } });
    editor.moveTo('const total = '.length);
  }
  const outcome = () => editor.feedback.find((event) => event.kind === 'outcome');
  afterEach(() => editor.dispose());

  it('hides what will hardly be taken, and tells what it decided', async () => {
    assert.ok(drawOf(USUAL) >= EXPLORED_SHARE && drawOf(EXPLORED) < EXPLORED_SHARE);
    open('on', 0.05);
    assert.equal(await editor.ask('key'), undefined);
    assert.deepEqual(outcome()!.outcome, { kind: 'suppressed', by: 'unlikely' });
    assert.deepEqual(outcome()!.filters, ['unlikely']);
    const decision = { shown: false, chance: 0.05, threshold: 0.1, explored: false, propensity: 0.98 };
    assert.deepEqual(outcome()!.display, decision);
    assert.deepEqual(
      editor.rows.map(({ shownText, rawText, filters }) => [shownText, rawText, filters]),
      [['', 'first', ['unlikely']]],
    );
  });

  it('shows what is likely, and tells that too', async () => {
    open('on', 0.4);
    const shown = await editor.ask('key');
    assert.equal(shown?.text, 'first');
    editor.accept(shown);
    assert.equal(outcome()!.outcome.kind, 'accepted');
    const { propensity, explored } = outcome()!.display!;
    assert.deepEqual([propensity, explored], [1, false]);
  });

  it('shows a little of what it would hide', async () => {
    open('on', 0.05, EXPLORED);
    const shown = await editor.ask('key');
    assert.equal(shown?.text, 'first');
    editor.accept(shown);
    const { propensity, explored } = outcome()!.display!;
    assert.deepEqual([propensity, explored], [EXPLORED_SHARE, true]);
  });

  for (const [name, setting, after, by] of [
    ['that is asked for by a command', 'on', 0.05, 'command'],
    ['while it is off', 'off', 0.05, 'key'],
    ['of a companion that predicts nothing', 'on', undefined, 'key'],
  ] as const)
    it(`hides nothing ${name}`, async () => {
      open(setting, after);
      const shown = await editor.ask(by);
      assert.equal(shown?.text, 'first');
      editor.accept(shown);
      assert.equal('display' in outcome()!, false);
    });
});
