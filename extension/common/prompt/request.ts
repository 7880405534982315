import type { CompletionRequestInput } from '../contracts/index.ts';
import type { ContextFile } from '../context/types.ts';
import type { PromptWindow } from './window.ts';

/** A line of code is rarely longer; past this the model is lost. */
export const MAX_COMPLETION_TOKENS = 48;

/** What the caller knows beside the window. */
interface RequestFacts {
  workspace: string;
  language: string;
  session: string;
  documentVersion: number;
  /** UTF-16 offset of the caret in the document. */
  offset: number;
  /** Milliseconds since the epoch, by the clock that its feedback is of. */
  askedAt?: number;
  /** False: nothing of the request is written anywhere. */
  record: boolean;
  /** Pieces of other files. */
  files?: ContextFile[];
}

/**
 * The request for a one-line suggestion. Temperature and truncation are left to the companion's configuration,
 * so that what is recorded can be learned from.
 */
export function lineRequest(window: PromptWindow, facts: RequestFacts): CompletionRequestInput {
  return {
    prompt: window.prefix,
    suffix: window.suffix,
    path: window.path,
    ...(facts.files === undefined || facts.files.length === 0 ? {} : { files: facts.files }),
    max_tokens: MAX_COMPLETION_TOKENS,
    stop: ['\n'],
    workspace: facts.workspace,
    language: facts.language,
    session: facts.session,
    document_version: facts.documentVersion,
    offset: facts.offset,
    ...(facts.askedAt === undefined ? {} : { asked_at: facts.askedAt }),
    record: facts.record,
  };
}
