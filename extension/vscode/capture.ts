import {
  commands,
  TextDocumentChangeReason,
  type TextEditor,
  window,
  workspace,
  type Disposable,
  type TextDocument,
  type TextDocumentChangeEvent,
  type TextEditorSelectionChangeEvent,
} from 'vscode';
import { CONTEXT_KEYS } from '../common/contributions.ts';
import type { FeedbackEvent } from '../common/contracts/feedback.ts';
import {
  originOf,
  type DocumentText,
  type DroppedCompletion,
  type EditorEvent,
  type OfferedCompletion,
  type TextEdit,
  type WithheldCompletion,
} from '../common/outcome/index.ts';
import type { SuggestionFollower } from '../common/suggestion/follower.ts';
import { growingRange } from '../common/outcome/trackedRange.ts';
import { documentKey, DocumentView, editsOf, offsetsOf } from './documentView.ts';

/** Between two editors the window has none for a moment; only a longer absence is a loss of focus. */
const FOCUS_SETTLES_MS = 100;

/** Watches the editor through its stable API and tells the follower; what may be recorded goes to `onFeedback`. */
export class Capture implements Disposable {
  readonly #follower: SuggestionFollower;
  readonly #onFeedback: (events: FeedbackEvent[]) => void;
  readonly #onWritten: (document: TextDocument, chars: number) => void;
  readonly #disposables: Disposable[];
  #timer: NodeJS.Timeout | undefined;
  #focusTimer: NodeJS.Timeout | undefined;
  /** Document that has the focus, and its selections before the next change. */
  #focused: string | null = null;
  #selections: { start: number; end: number }[] = [];
  #offering = false;

  /** @param onWritten is told how many characters came in by hand or by accepting */
  constructor(
    follower: SuggestionFollower,
    onFeedback: (events: FeedbackEvent[]) => void,
    onWritten: (document: TextDocument, chars: number) => void,
  ) {
    this.#follower = follower;
    this.#onFeedback = onFeedback;
    this.#onWritten = onWritten;
    this.#disposables = [
      workspace.onDidChangeTextDocument((event) => this.#changed(event)),
      window.onDidChangeTextEditorSelection((event) => this.#selected(event)),
      window.onDidChangeActiveTextEditor(() => this.#focusSoon()),
      window.onDidChangeWindowState(() => this.#focusSoon()),
      workspace.onDidCloseTextDocument((document) => this.#tellFollowed('closed', documentKey(document))),
      workspace.onDidDeleteFiles(({ files }) => {
        for (const file of files) this.#below(file.toString(), (key) => this.#tellFollowed('deleted', key));
      }),
      // Before the rename: after it the editor has closed the document and opened another one.
      workspace.onWillRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) this.#renamed(oldUri.toString(), newUri.toString());
      }),
    ];
    this.#focus();
  }

  /** What happens to a suggestion that is asked for now may be written down. */
  get recording(): boolean {
    return this.#follower.recording;
  }

  /** A suggestion is thought to be on display there. */
  displays(document: TextDocument): boolean {
    return this.#follower.tracker.isDisplayed(documentKey(document));
  }

  /** The item is about to be given to the editor. */
  offered(document: TextDocument, completion: OfferedCompletion): void {
    this.#tell({ type: 'offered', completion, ...now(document) });
  }

  withheld(document: TextDocument, completion: WithheldCompletion): void {
    this.#tell({ type: 'withheld', completion, ...now(document) });
  }

  /** The suggest widget is in the way: the suggestion is not given to the editor now. */
  held(document: TextDocument, completion: OfferedCompletion): void {
    this.#tell({ type: 'held', completion, ...now(document) });
  }

  /** Answered too late to be given to the editor. */
  dropped(document: TextDocument, completion: DroppedCompletion, changed: boolean): void {
    this.#tell({ type: 'dropped', completion, changed, ...now(document) });
  }

  /** The item's command ran. */
  accepted(id: string): void {
    this.#tell({ type: 'accept', id, at: Date.now() });
  }

  /** Our Escape command runs in the focused editor. */
  escaped(): void {
    if (this.#focused !== null) this.#tell({ type: 'escape', document: this.#focused, at: Date.now() });
  }

  /** Our accept-word or accept-line command is about to run in the focused editor. */
  acceptingPart(): void {
    if (this.#focused !== null) this.#tell({ type: 'acceptPart', document: this.#focused, at: Date.now() });
  }

  editorShown(id: string): void {
    this.#tell({ type: 'editorShown', id, at: Date.now() });
  }

  editorEnded(ended: Omit<Extract<EditorEvent, { type: 'editorEnded' }>, 'type' | 'at'>): void {
    this.#tell({ type: 'editorEnded', ...ended, at: Date.now() });
  }

  /** Recording is switched on or off: what is open is forgotten, and nothing of it is told. */
  restart(recording: boolean): void {
    this.#follower.restart(recording);
    this.#schedule();
    this.#showOffering();
    this.#focus();
  }

  /** The window closes: everything open is settled. */
  shutdown(): void {
    this.#tell({ type: 'shutdown', at: Date.now() });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#focusTimer);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #changed(event: TextDocumentChangeEvent): void {
    if (event.contentChanges.length === 0) return;
    const { document } = event;
    const key = documentKey(document);
    const edits = editsOf(event.contentChanges);
    const selections = this.#selections;
    if (key === this.#focused) {
      this.#selections = selections.map((selection) => {
        const { end } = growingRange({ ...selection, intact: true }, edits);
        return { start: end, end };
      });
    }
    const focused = key === this.#focused && window.state.focused;
    const follows = this.#follower.tracker.follows(key);
    if (!focused && !follows) return;
    const reason =
      event.reason === TextDocumentChangeReason.Undo
        ? 'undo'
        : event.reason === TextDocumentChangeReason.Redo
          ? 'redo'
          : undefined;
    const origin = originOf({ edits, reason, focused, selections });
    if (origin === 'typing') this.#written(document, edits);
    if (follows) this.#tell({ type: 'change', edits, origin, ...now(document) });
  }

  #written(document: TextDocument, edits: readonly TextEdit[]): void {
    const chars = edits.reduce((sum, { inserted }) => sum + inserted.length, 0);
    if (chars > 0) this.#onWritten(document, chars);
  }

  #selected({ textEditor, selections }: TextEditorSelectionChangeEvent): void {
    const { document } = textEditor;
    const key = documentKey(document);
    if (key !== this.#focused || textEditor !== window.activeTextEditor) return;
    this.#selections = offsetsOf(document, selections);
    if (!this.#follower.tracker.follows(key)) return;
    const caret = document.offsetAt(selections[0]!.active);
    this.#tell({ type: 'selection', caret, ...now(document) });
  }

  #focusSoon(): void {
    clearTimeout(this.#focusTimer);
    if (window.activeTextEditor && window.state.focused) this.#focus();
    else this.#focusTimer = setTimeout(() => this.#focus(), FOCUS_SETTLES_MS);
  }

  #focus(): void {
    const editor: TextEditor | undefined = window.state.focused ? window.activeTextEditor : undefined;
    this.#focused = editor ? documentKey(editor.document) : null;
    this.#selections = editor ? offsetsOf(editor.document, editor.selections) : [];
    this.#tell({ type: 'focus', document: this.#focused, at: Date.now() });
  }

  #tellFollowed(type: 'closed' | 'deleted', document: string): void {
    this.#tell({ type, document, at: Date.now() });
  }

  #renamed(from: string, to: string): void {
    this.#below(from, (key) => {
      this.#tell({ type: 'renamed', document: key, to: to + key.slice(from.length), at: Date.now() });
    });
  }

  /** The file itself, or every followed file of the folder. */
  #below(uri: string, act: (key: string) => void): void {
    const inside = this.#follower.tracker.followed().filter((key) => key.startsWith(`${uri}/`));
    for (const key of [uri, ...inside]) act(key);
  }

  #tell(event: EditorEvent): void {
    const feedback = this.#follower.handle(event);
    this.#schedule();
    this.#showOffering();
    if (feedback.length > 0) this.#onFeedback(feedback);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const due = this.#follower.tracker.nextDueAt();
    if (due === undefined) return;
    const tick = () => this.#tell({ type: 'tick', at: Date.now() });
    this.#timer = setTimeout(tick, Math.max(1, due - Date.now()));
    this.#timer.unref();
  }

  #showOffering(): void {
    const offering = this.#focused !== null && this.#follower.tracker.isDisplayed(this.#focused);
    if (offering === this.#offering) return;
    this.#offering = offering;
    void commands.executeCommand('setContext', CONTEXT_KEYS.offering, offering);
  }
}

/** Where an event happens, what stands there, and when. */
function now(document: TextDocument): { document: string; text: DocumentText; at: number } {
  return { document: documentKey(document), text: new DocumentView(document), at: Date.now() };
}
