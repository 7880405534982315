import type { TextDocument } from 'vscode';
import type { CompletionRequestInput } from '../common/contracts/index.ts';
import { withoutOwnClosers } from '../common/prompt/ownClosers.ts';
import { lineRequest } from '../common/prompt/request.ts';
import type { PromptWindow } from '../common/prompt/window.ts';
import { maskAround } from '../common/secrets/mask.ts';
import { partialWindow } from '../common/suggestion/partialWindow.ts';
import type { Place } from './lookAhead.ts';
import type { PlaceContext } from './placeContext.ts';
import { relativePath } from './policy.ts';

export interface RequestParts {
  context: Pick<PlaceContext, 'begin' | 'filesAt' | 'readSpeed'>;
  /** Id of this window. */
  session: string;
  /** Of the folder that holds the document. */
  workspaceKey: (document: TextDocument) => string;
}

/** What is asked of the companion at a place. */
interface PlaceRequest {
  body: CompletionRequestInput;
  /** What stands there, the closing brackets too that the model isn't shown: what it writes is to fit them. */
  window: PromptWindow;
}

/** The request at a place, secrets masked; how much is wanted, and how, is the caller's. */
export async function requestAt(
  { context, session, workspaceKey }: RequestParts,
  { document, around, version, recorded }: Place,
): Promise<PlaceRequest> {
  const { before, after } = maskAround(around.before, around.after);
  const windowBefore = (text: string): PromptWindow =>
    partialWindow(before, text, around.lfOffset, relativePath(document));
  const window = windowBefore(after);
  const shown = withoutOwnClosers(before, after);
  const body = lineRequest(shown === after ? window : windowBefore(shown), {
    workspace: workspaceKey(document),
    language: document.languageId,
    session,
    documentVersion: version,
    offset: around.lfOffset,
    askedAt: Date.now(),
    record: recorded,
    files: await context.filesAt(document, around),
  });
  return { body, window };
}
