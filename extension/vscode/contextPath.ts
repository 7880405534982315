import { workspace, type Uri } from 'vscode';

/** A file's path in the index: below its folder, with the folder's name in front where the workspace has several. */
export function contextPath(uri: Uri): string {
  return workspace.asRelativePath(uri);
}

/** The workspace's folders as the index takes them; those that aren't on this computer's disk are left out. */
export function contextFolders(): { root: string; label: string }[] {
  const folders = workspace.workspaceFolders ?? [];
  return folders
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri, name }) => ({ root: uri.fsPath, label: folders.length > 1 ? `${name}/` : '' }));
}
