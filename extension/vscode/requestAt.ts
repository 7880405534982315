import type { TextDocument } from 'vscode';
import type { CompletionRequestInput } from '../common/contracts/index.ts';
import { withoutOwnClosers } from '../common/prompt/ownClosers.ts';
import { lineRequest } from '../common/prompt/request.ts';
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

/** The request at a place, secrets masked; how much is wanted, and how, is the caller's. */
export async function requestAt(
  { context, session, workspaceKey }: RequestParts,
  { document, around, version, recorded }: Place,
): Promise<CompletionRequestInput> {
  const { before, after } = maskAround(around.before, around.after);
  const seen = withoutOwnClosers(before, after);
  const window = partialWindow(before, seen, around.lfOffset, relativePath(document));
  return lineRequest(window, {
    workspace: workspaceKey(document),
    language: document.languageId,
    session,
    documentVersion: version,
    offset: around.lfOffset,
    askedAt: Date.now(),
    record: recorded,
    files: await context.filesAt(document, around),
  });
}
