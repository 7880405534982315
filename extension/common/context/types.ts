import type { CompletionRequest } from '../contracts/index.ts';

/**
 * Where a piece of context comes from, in the order in which the model sees them, what changes least first:
 * `ownImports`, the import lines of the document itself where the window doesn't reach them; `outline`, its other
 * declarations that the window doesn't show, by their first lines; `definition`, where a name
 * that is imported and used near the caret is declared; `similar`, code with words in common with what stands around
 * the caret.
 */
export const CONTEXT_SOURCES = ['ownImports', 'outline', 'definition', 'similar'] as const;
export type ContextSource = (typeof CONTEXT_SOURCES)[number];

/** Whole lines of a file that could be shown to the model. */
export interface ContextCandidate {
  source: ContextSource;
  /** Relative to the workspace, forward slashes. */
  path: string;
  /** 0-based, in that file. */
  firstLine: number;
  /** LF, ends with a line end. */
  text: string;
  /** Higher is better; comparable within a source. */
  score: number;
  /** What raised or lowered the score, by name, for the explanation. */
  signals: Record<string, number>;
}

/** What became of a candidate. */
export type ContextVerdict =
  | 'taken'
  /** The budget was used up by better ones. */
  | 'overBudget'
  /** Another piece that was taken shows the same lines. */
  | 'doubled'
  /** The window around the caret shows the same lines. */
  | 'inWindow';

export interface ContextPart extends ContextCandidate {
  verdict: ContextVerdict;
}

/** A piece of a file as the model is shown it. */
export type ContextFile = NonNullable<CompletionRequest['files']>[number];
