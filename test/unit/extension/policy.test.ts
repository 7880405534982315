import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedCompanion } from '../../fixtures/scriptedCompanion.ts';
import { StandInEditor } from '../../fixtures/vscode/editor.ts';
import { fire, workspace } from '../../fixtures/vscode/standIn.ts';

const { relativePath, watchIgnoreFiles } = await import('../../../extension/vscode/policy.ts');

describe('what leaves the editor', () => {
  let root: string;
  let companion: ScriptedCompanion;
  let editor: StandInEditor;

  const open = (path: string, text = 'const total = ;\n') => {
    companion = new ScriptedCompanion(() => 'first');
    editor = new StandInEditor({ text, path: join(root, path), client: companion });
    editor.moveTo(text.indexOf(';'));
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hone-policy-'));
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, '.gitignore'), '*.local.ts\n');
  });
  afterEach(() => {
    editor.dispose();
    rmSync(root, { recursive: true });
  });

  it('is nothing of a file that git ignores, and nothing is recorded there', async () => {
    open('a.ts');
    assert.equal((await editor.ask())?.text, 'first');
    assert.equal(editor.policy.offReason(editor.document as never), null);
    editor.dispose();
    open('a.local.ts');
    assert.equal(await editor.ask(), undefined);
    assert.deepEqual([companion.asked, editor.rows, editor.feedback], [[], [], []]);
    assert.equal(editor.policy.offReason(editor.document as never), 'ignoredByGit');
  });

  it('is nothing of a file that is excluded', async () => {
    open('.env');
    assert.equal(await editor.ask(), undefined);
    assert.deepEqual(companion.asked, []);
    assert.equal(editor.policy.offReason(editor.document as never), 'excluded');
  });

  it('is nothing while Hone is snoozed, and is asked for and recorded again after it', async () => {
    let snoozed = false;
    companion = new ScriptedCompanion(() => 'first');
    editor = new StandInEditor({
      text: 'const total = ;\n',
      path: join(root, 'a.ts'),
      client: companion,
      isSnoozed: () => snoozed,
    });
    editor.moveTo('const total = '.length);
    assert.equal(editor.policy.mayRecord(), true);
    snoozed = true;
    assert.equal(await editor.ask(), undefined);
    assert.deepEqual([companion.asked, editor.rows, editor.feedback], [[], [], []]);
    assert.equal(editor.policy.mayRecord(), false);
    snoozed = false;
    assert.equal((await editor.ask())?.text, 'first');
  });

  it('is nothing in a language that is switched off', async () => {
    companion = new ScriptedCompanion(() => 'first');
    editor = new StandInEditor({
      text: 'let a = ;\n',
      path: join(root, 'a.ts'),
      client: companion,
      settings: { disabledLanguages: ['typescript'] },
    });
    editor.moveTo('let a = '.length);
    assert.equal(await editor.ask(), undefined);
    assert.deepEqual(companion.asked, []);
    assert.equal(editor.policy.offReason(editor.document as never), 'language');
  });

  for (const [scheme, may] of [
    ['file', true],
    ['untitled', true],
    ['vscode-notebook-cell', true],
    ['vscode-remote', true],
    ['output', false],
    ['git', false],
    ['vscode-scm', false],
  ] as const)
    it(`is decided by the scheme of the document: ${scheme}`, () => {
      open('a.ts');
      const path = join(root, 'a.ts');
      const document = { uri: { scheme, path, fsPath: path }, languageId: 'typescript' };
      assert.equal(editor.policy.mayComplete(document as never), may);
    });

  it('names a file of another machine by its own path, whatever this one’s look like', () => {
    open('a.ts');
    const folder = workspace.getWorkspaceFolder;
    const remote = { scheme: 'vscode-remote', path: '/home/me/code/a.ts', fsPath: '\\home\\me\\code\\a.ts' };
    try {
      assert.equal(relativePath({ uri: remote } as never), 'home/me/code/a.ts');
      workspace.getWorkspaceFolder = () => undefined;
      assert.equal(relativePath({ uri: remote } as never), 'a.ts', 'outside of every folder: no path at all');
    } finally {
      workspace.getWorkspaceFolder = folder;
    }
  });

  for (const [what, event] of [
    ['when it has changed', ['change **/.gitignore', undefined]],
    ['when the window has the focus again', ['windowState', { focused: true }]],
  ] as const) {
    it(`follows an ignore file ${what}`, async () => {
      open('a.ts');
      let told = 0;
      const watch = watchIgnoreFiles(editor.policy, () => told++);
      assert.equal((await editor.ask())?.text, 'first');
      writeFileSync(join(root, '.gitignore'), '*.ts\n');
      fire(event[0], event[1]);
      assert.equal(told, 1);
      assert.equal(await editor.ask(), undefined);
      watch.dispose();
    });
  }

  it('is no secret', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    open('a.ts', `const total = ;\nconst key = '${secret}';\n`);
    await editor.ask();
    assert.equal(
      companion.asked[0]!.body.suffix,
      `;\nconst key = 'MAS_KEDMASKEDMASKEDMASKEDMASKEDMASKEDMAS';\n`,
    );
  });
});
