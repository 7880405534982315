import assert from 'node:assert/strict';
import type { ExtensionContext, LogOutputChannel } from 'vscode';
import '../../fixtures/vscode/editor.ts';
import {
  answers,
  executed,
  questions,
  userSettings,
  workspace,
  workspaceSettings,
} from '../../fixtures/vscode/standIn.ts';

const { Consent } = await import('../../../extension/vscode/consent.ts');
const { CurrentSettings } = await import('../../../extension/vscode/currentSettings.ts');
const { Policy } = await import('../../../extension/vscode/policy.ts');

const TRACKING = 'hone.tracking.enabled';

describe('the question whether Hone may learn', () => {
  let settings: InstanceType<typeof CurrentSettings>;
  let consent: InstanceType<typeof Consent>;
  const mayRecord = () =>
    new Policy(
      () => settings.value,
      () => false,
    ).mayRecord();
  /** All that follows from what was answered. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  function begin(set: Record<string, unknown> = {}): void {
    for (const [name, value] of Object.entries(set)) userSettings.set(name, value);
    settings = new CurrentSettings({ warn: () => undefined } as unknown as LogOutputChannel);
    consent = new Consent({ extensionUri: 'hone' } as unknown as ExtensionContext, settings);
  }
  afterEach(() => {
    settings.dispose();
    userSettings.clear();
    workspaceSettings.clear();
    questions.length = answers.length = executed.length = 0;
    workspace.isTrusted = true;
  });

  for (const [button, recorded] of [
    ['Learn From My Edits', true],
    ['Only Complete', false],
  ] as const)
    it(`writes the setting of whoever answers "${button}"`, async () => {
      begin();
      assert.equal(mayRecord(), false, 'nothing before the answer');
      answers.push(button);
      consent.askOnce();
      await settled();
      assert.equal(userSettings.get(TRACKING), recorded);
      assert.equal(settings.isTrackingAnswered, true);
      assert.equal(mayRecord(), recorded);
    });

  it('shows what is recorded, then asks again', async () => {
    begin();
    answers.push('What Is Recorded?', 'Learn From My Edits');
    await consent.ask();
    assert.deepEqual(executed, ['markdown.showPreview']);
    assert.equal(questions.length, 2);
    assert.equal(mayRecord(), true);
  });

  it('is no answer when it is dismissed, and is asked once a session', async () => {
    begin();
    consent.askOnce();
    await settled();
    consent.askOnce();
    await settled();
    assert.equal(questions.length, 1);
    assert.equal(userSettings.has(TRACKING), false);
    assert.equal(mayRecord(), false);
  });

  for (const value of [true, false])
    it(`is not asked where the setting says ${value}`, () => {
      begin({ [TRACKING]: value });
      consent.askOnce();
      assert.deepEqual(questions, []);
      assert.equal(mayRecord(), value);
    });

  it('is not answered with yes by the settings of a workspace', async () => {
    workspaceSettings.set(TRACKING, true);
    begin();
    assert.equal(mayRecord(), false);
    answers.push('Learn From My Edits');
    consent.askOnce();
    await settled();
    assert.equal(questions.length, 1);
    assert.equal(mayRecord(), true);
  });

  it('is answered with no by the settings of a workspace', () => {
    workspaceSettings.set(TRACKING, false);
    begin();
    consent.askOnce();
    assert.deepEqual(questions, []);
    assert.equal(mayRecord(), false);
  });

  it('is not asked in a workspace that is not trusted', () => {
    begin();
    workspace.isTrusted = false;
    consent.askOnce();
    assert.deepEqual(questions, []);
  });
});
