import assert from 'node:assert/strict';
import { DEFAULT_WORKSPACE } from '../../../extension/common/contracts/feedback.ts';
import type { TextDocument } from 'vscode';
import { workspaceKeyOf } from '../../../extension/node/workspaceKey.ts';
import '../../fixtures/vscode/editor.ts';
import * as standIn from '../../fixtures/vscode/standIn.ts';

const { workspaceKeyIn } = await import('../../../extension/vscode/policy.ts');

describe("a workspace's key", () => {
  it('is the same every time, another for another folder, and names no path', () => {
    const key = workspaceKeyOf('file:///home/ada/secret-project');
    assert.equal(key, 'e3be55676f811eac8d408110622775ef');
    assert.notEqual(workspaceKeyOf('file:///home/ada/other'), key);
  });

  it('is the default without a folder', () => {
    assert.equal(workspaceKeyOf(undefined), DEFAULT_WORKSPACE);
  });
});

describe("a document's workspace key", () => {
  const uri = (text: string) => ({ toString: () => text });
  const folders = ['file:///one', 'file:///two'].map((folder) => ({ uri: uri(folder) }));
  const keyIn = (document: string) => workspaceKeyIn({ uri: uri(document) } as unknown as TextDocument);
  const { getWorkspaceFolder } = standIn.workspace;

  beforeEach(() => {
    standIn.workspace.workspaceFolders = folders;
    standIn.workspace.getWorkspaceFolder = (document: unknown) =>
      folders.find((folder) => String(document).startsWith(`${String(folder.uri)}/`));
  });
  afterEach(() => {
    standIn.workspace.workspaceFolders = undefined;
    standIn.workspace.getWorkspaceFolder = getWorkspaceFolder;
  });

  it('is that of the folder which holds it, not of the first', () => {
    assert.equal(keyIn('file:///two/a.ts'), workspaceKeyOf('file:///two'));
    assert.equal(keyIn('file:///one/a.ts'), workspaceKeyOf('file:///one'));
  });

  it('is that of the first folder where none holds it', () => {
    assert.equal(keyIn('untitled:Untitled-1'), workspaceKeyOf('file:///one'));
    standIn.workspace.workspaceFolders = undefined;
    assert.equal(keyIn('untitled:Untitled-1'), DEFAULT_WORKSPACE);
  });
});
