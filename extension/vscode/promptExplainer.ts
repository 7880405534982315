import { Uri, window, workspace, type Disposable, type TextDocumentContentProvider } from 'vscode';
import { explain, explanationText } from '../common/context/explain.ts';
import { CHARS_PER_TOKEN } from '../common/prompt/window.ts';
import { maskAround } from '../common/secrets/mask.ts';
import { withoutOwnClosers } from '../common/prompt/ownClosers.ts';
import { partialWindow } from '../common/suggestion/partialWindow.ts';
import type { PlaceContext } from './placeContext.ts';
import { relativePath, type Policy } from './policy.ts';
import { surroundingsOf } from './surroundings.ts';

/** No document of this scheme is completed, tracked or indexed. */
const SCHEME = 'hone-prompt';
const ESTIMATE = `Tokens are estimated at ${CHARS_PER_TOKEN} characters each; "hone explain" counts them.`;

/** "Explain Prompt Here": a read-only document that says what the model is shown at the caret, and why. */
export class PromptExplainer implements TextDocumentContentProvider, Disposable {
  readonly #policy: Policy;
  readonly #context: PlaceContext;
  readonly #texts = new Map<string, string>();
  readonly #disposables: Disposable[];
  #opened = 0;

  constructor(policy: Policy, context: PlaceContext) {
    this.#policy = policy;
    this.#context = context;
    this.#disposables = [
      workspace.registerTextDocumentContentProvider(SCHEME, this),
      workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
    ];
  }

  provideTextDocumentContent(uri: Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  /** Explains the caret of the focused editor. */
  async show(): Promise<void> {
    const editor = window.activeTextEditor;
    if (!editor) throw new Error('Open a file and put the caret where the prompt is to be explained.');
    const uri = Uri.from({ scheme: SCHEME, path: `/Prompt ${++this.#opened}.txt` });
    this.#texts.set(uri.toString(), await this.#explain(editor.document, editor.selection.active));
    const document = await workspace.openTextDocument(uri);
    await window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #explain(...[document, position]: Parameters<typeof surroundingsOf>): Promise<string> {
    if (!this.#policy.mayComplete(document))
      return 'No completion is asked for here: completions are off, off in this language, or the file is excluded.\n';
    const around = surroundingsOf(document, position);
    const { before, after } = maskAround(around.before, around.after);
    const path = relativePath(document);
    const context = await this.#context.now(document, around);
    const explanation = explain({
      path,
      line: position.line,
      character: position.character,
      window: partialWindow(before, withoutOwnClosers(before, after), around.lfOffset, path),
      context,
      suffixFirst: false,
      countTokens: (text) => Math.ceil(text.length / CHARS_PER_TOKEN),
      notes: [
        context
          ? ESTIMATE
          : `${ESTIMATE} The workspace's other files are not shown: they are off, or the workspace is not trusted.`,
      ],
    });
    return explanationText(explanation);
  }
}
