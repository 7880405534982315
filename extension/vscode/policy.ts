import { basename } from 'node:path';
import { Disposable, window, workspace, type TextDocument } from 'vscode';
import type { Settings } from '../common/contributions.ts';
import { excludedFiles } from '../common/files/excluded.ts';
import type { OffReason } from '../common/status/statusView.ts';
import { workspaceKeyOf } from '../node/workspaceKey.ts';
import { IgnoredDocuments } from '../workspace/ignoredDocuments.ts';

/** Documents that people write in; not output, search results or the commit message of another tool. */
const SCHEMES = new Set([
  'file',
  'untitled',
  'vscode-notebook-cell',
  'vscode-remote',
  'vscode-vfs',
  'vscode-userdata',
]);

/** What may be done with the documents of this window, by settings and trust. */
export class Policy {
  readonly #settings: () => Settings;
  readonly #isSnoozed: () => boolean;
  #patterns: readonly string[] | undefined;
  #isExcluded: (path: string) => boolean = () => true;
  readonly #ignored = new IgnoredDocuments();

  constructor(settings: () => Settings, isSnoozed: () => boolean) {
    this.#settings = settings;
    this.#isSnoozed = isSnoozed;
  }

  /** True: its text may be sent to the companion. */
  mayComplete(document: TextDocument): boolean {
    return !this.#isSnoozed() && this.mayRead(document);
  }

  /** True: its text may be sent to the companion when no snooze is in the way. */
  mayRead(document: TextDocument): boolean {
    if (!this.#settings().completionsEnabled) return false;
    return SCHEMES.has(document.uri.scheme) && this.offReason(document) === null;
  }

  /** Why nothing is offered or recorded in a document, whatever else is on; null: nothing is in the way. */
  offReason(document: TextDocument): OffReason | null {
    if (this.#excluded(document)) return 'excluded';
    if (this.#settings().disabledLanguages.includes(document.languageId)) return 'language';
    const { scheme, fsPath } = document.uri;
    return scheme === 'file' && this.#ignored.ignores(fsPath) ? 'ignoredByGit' : null;
  }

  /** What git ignores may have changed. */
  forgetIgnored(): void {
    this.#ignored.forget();
  }

  /** True: what happens to a suggestion may be written down. */
  mayRecord(): boolean {
    return this.#settings().trackingEnabled && workspace.isTrusted && !this.#isSnoozed();
  }

  #excluded(document: TextDocument): boolean {
    const { excludedFiles: patterns } = this.#settings();
    if (patterns !== this.#patterns) {
      this.#patterns = patterns;
      this.#isExcluded = excludedFiles(patterns);
    }
    // The whole path for patterns such as `.ssh`, the relative one for patterns of the workspace's own folders.
    return this.#isExcluded(document.uri.path) || this.#isExcluded(relativePath(document));
  }
}

/** Reads again what git ignores when an ignore file changes, or may have been changed by another program. */
export function watchIgnoreFiles(policy: Policy, onChange: () => void): Disposable {
  const changed = () => {
    policy.forgetIgnored();
    onChange();
  };
  const watcher = workspace.createFileSystemWatcher('**/.gitignore');
  return Disposable.from(
    watcher,
    watcher.onDidCreate(changed),
    watcher.onDidChange(changed),
    watcher.onDidDelete(changed),
    window.onDidChangeWindowState(({ focused }) => {
      if (focused) changed();
    }),
  );
}

/** Path below the workspace folder with forward slashes; of a file elsewhere its name alone. */
export function relativePath(document: TextDocument): string {
  if (!workspace.getWorkspaceFolder(document.uri)) return basename(document.uri.path);
  return workspace.asRelativePath(document.uri, false);
}

/** Key of the folder that holds a document; of one outside of every folder the first folder's. */
export function workspaceKeyIn({ uri }: TextDocument): string {
  const folder = workspace.getWorkspaceFolder(uri);
  return folder ? workspaceKeyOf(folder.uri.toString()) : workspaceKeyOfWindow();
}

/** Key of the window's first folder. */
export function workspaceKeyOfWindow(): string {
  return workspaceKeyOf(workspace.workspaceFolders?.[0]?.uri.toString());
}
