import { basename } from 'node:path';
import { Disposable, window, workspace, type TextDocument } from 'vscode';
import type { Settings } from '../common/contributions.ts';
import { excludedFiles } from '../common/files/excluded.ts';
import type { OffReason } from '../common/status/statusView.ts';
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
  #patterns: readonly string[] | undefined;
  #isExcluded: (path: string) => boolean = () => true;
  readonly #ignored = new IgnoredDocuments();

  constructor(settings: () => Settings) {
    this.#settings = settings;
  }

  /** True: its text may be sent to the companion. */
  mayComplete(document: TextDocument): boolean {
    const { completionsEnabled, disabledLanguages } = this.#settings();
    if (!completionsEnabled || disabledLanguages.includes(document.languageId)) return false;
    return SCHEMES.has(document.uri.scheme) && this.offReason(document) === null;
  }

  /** Why nothing is offered or recorded in a document, whatever else is on; null: nothing is in the way. */
  offReason(document: TextDocument): OffReason | null {
    if (this.#excluded(document)) return 'excluded';
    const { scheme, fsPath } = document.uri;
    return scheme === 'file' && this.#ignored.ignores(fsPath) ? 'ignoredByGit' : null;
  }

  /** What git ignores may have changed. */
  forgetIgnored(): void {
    this.#ignored.forget();
  }

  /** True: what happens to a suggestion may be written down. */
  mayRecord(): boolean {
    return this.#settings().trackingEnabled && workspace.isTrusted;
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
