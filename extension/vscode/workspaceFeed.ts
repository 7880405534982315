import {
  type Disposable,
  RelativePattern,
  window,
  workspace,
  type FileSystemWatcher,
  type TextDocument,
  type Uri,
} from 'vscode';
import type { Settings } from '../common/contributions.ts';
import { isInToolFolder } from '../common/files/unhelpful.ts';
import type { ContextThread } from '../node/contextThread.ts';
import { contextFolders, contextPath } from './contextPath.ts';
import type { Policy } from './policy.ts';

/** A checkout or an install tells of thousands of files one by one. */
const CHANGES_SETTLE_MS = 300;
/** The text of an edited document is copied at most this often, and never while a key is handled. */
const DOCUMENTS_SETTLE_MS = 1500;
/** More than an index takes of a file; a longer text is never copied. */
const DOCUMENT_UNITS_MAX = 256 * 1024;
const RECENT_MAX = 20;

interface FeedParts {
  settings: () => Settings;
  policy: Policy;
  thread: ContextThread;
}

/** Tells the index of the workspace's files what the editor knows: folders, changes on the disk, open documents. */
export class WorkspaceFeed implements Disposable {
  readonly #parts: FeedParts;
  readonly #disposables: Disposable[];
  #watchers: FileSystemWatcher[] = [];
  readonly #changed = new Set<string>();
  readonly #edited = new Set<TextDocument>();
  /** Files that were viewed or edited, the last one first. */
  #recent: string[] = [];
  #changesTimer: NodeJS.Timeout | undefined;
  #documentsTimer: NodeJS.Timeout | undefined;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#disposables = [
      workspace.onDidOpenTextDocument((document) => this.#editedSoon(document)),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.#editedSoon(document);
      }),
      workspace.onDidCloseTextDocument((document) => this.#closed(document)),
      window.onDidChangeActiveTextEditor((editor) => {
        if (editor) this.#touch(editor.document);
      }),
      workspace.onDidChangeWorkspaceFolders(() => this.restart()),
    ];
  }

  /** Files that were viewed or edited lately, the last one first. */
  get recent(): readonly string[] {
    return this.#recent;
  }

  /** What may be indexed has changed: settings, trust or folders. Everything is found anew. */
  restart(): void {
    const { settings, thread } = this.#parts;
    this.#stop();
    const folders = contextFolders();
    const isOn = settings().completionsEnabled && settings().context !== 'off';
    // What is in a folder that isn't trusted stays there.
    if (!isOn || !workspace.isTrusted || folders.length === 0) {
      thread.index(null);
      return;
    }
    const countsWords = settings().contextSources.includes('similar');
    thread.index({ folders, excludedPatterns: settings().excludedFiles, countsWords });
    this.#watchers = folders.map(({ root }) => this.#watch(root));
    for (const document of workspace.textDocuments) this.#editedSoon(document);
    if (window.activeTextEditor) this.#touch(window.activeTextEditor.document);
  }

  dispose(): void {
    this.#stop();
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #stop(): void {
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = [];
    clearTimeout(this.#changesTimer);
    clearTimeout(this.#documentsTimer);
    this.#changesTimer = undefined;
    this.#documentsTimer = undefined;
    this.#changed.clear();
    this.#edited.clear();
  }

  #watch(root: string): FileSystemWatcher {
    const watcher = workspace.createFileSystemWatcher(new RelativePattern(root, '**/*'));
    const changed = ({ fsPath }: Uri) => {
      if (!isInToolFolder(fsPath.slice(root.length))) this.#changedSoon(fsPath);
    };
    watcher.onDidCreate(changed);
    watcher.onDidChange(changed);
    watcher.onDidDelete(changed);
    return watcher;
  }

  #changedSoon(path: string): void {
    this.#changed.add(path);
    this.#changesTimer ??= setTimeout(() => {
      this.#changesTimer = undefined;
      this.#parts.thread.changed([...this.#changed]);
      this.#changed.clear();
    }, CHANGES_SETTLE_MS);
  }

  #editedSoon(document: TextDocument): void {
    if (this.#watchers.length === 0 || !this.#isOfWorkspace(document)) return;
    if (document === window.activeTextEditor?.document) this.#touch(document);
    this.#edited.add(document);
    this.#documentsTimer ??= setTimeout(() => {
      this.#documentsTimer = undefined;
      for (const edited of this.#edited) this.#tell(edited);
      this.#edited.clear();
    }, DOCUMENTS_SETTLE_MS);
  }

  #tell(document: TextDocument): void {
    if (document.isClosed || !this.#parts.policy.mayRead(document)) return;
    const end = document.lineAt(document.lineCount - 1).range.end;
    if (document.offsetAt(end) > DOCUMENT_UNITS_MAX) return;
    this.#parts.thread.document(contextPath(document.uri), document.getText());
  }

  #closed(document: TextDocument): void {
    this.#edited.delete(document);
    if (this.#isOfWorkspace(document)) this.#parts.thread.document(contextPath(document.uri), null);
  }

  #touch(document: TextDocument): void {
    if (!this.#isOfWorkspace(document)) return;
    const path = contextPath(document.uri);
    if (path === this.#recent[0]) return;
    this.#recent = [path, ...this.#recent.filter((other) => other !== path)].slice(0, RECENT_MAX);
  }

  #isOfWorkspace({ uri }: TextDocument): boolean {
    return uri.scheme === 'file' && workspace.getWorkspaceFolder(uri) !== undefined;
  }
}
