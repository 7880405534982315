/** Chooses among the candidates what is shown, within a budget. Pure. */
import { CHARS_PER_TOKEN } from '../prompt/window.ts';
import { ContextBudget } from './budget.ts';
import {
  CONTEXT_SOURCES,
  type ContextCandidate,
  type ContextFile,
  type ContextPart,
  type ContextSource,
} from './types.ts';

export interface ContextPlan {
  /** Sources that are shown; candidates of others are left out. */
  sources: readonly ContextSource[];
  /** Most tokens of all pieces together, by the estimate of `CHARS_PER_TOKEN`. */
  budgetTokens: number;
  /** Most pieces of a source. */
  piecesOfSource: Record<ContextSource, number>;
}

export interface PackedContext {
  /** In the order in which the model sees them: what changes least first, the best fitting code last. */
  files: ContextFile[];
  /** Every candidate of the sources in use and what became of it. */
  parts: ContextPart[];
}

/** The first are taken first: what brings most for its tokens. docs/completions.md has the figures. */
const PRIORITY: readonly ContextSource[] = ['definition', 'ownImports', 'similar', 'outline'];

/** Of the sources those that earned what they cost. */
export const DEFAULT_CONTEXT_PLAN: ContextPlan = {
  sources: ['ownImports', 'definition'],
  budgetTokens: new ContextBudget().tokens,
  piecesOfSource: { ownImports: 1, outline: 1, definition: 4, similar: 4 },
};

/**
 * Takes candidates source by source, those of a source in the order given, as far as the budget goes.
 *
 * @param shown text that the window shows of the document itself
 */
export function packContext(
  candidates: readonly ContextCandidate[],
  plan: ContextPlan,
  shown: string,
): PackedContext {
  const taken: ContextCandidate[] = [];
  let left = plan.budgetTokens * CHARS_PER_TOKEN;
  const parts = PRIORITY.filter((source) => plan.sources.includes(source))
    .flatMap((source) => candidates.filter((candidate) => candidate.source === source))
    .map((candidate): ContextPart => {
      const verdict = verdictOn(candidate);
      if (verdict !== 'taken') return { ...candidate, verdict };
      taken.push(candidate);
      left -= sizeOf(candidate);
      return { ...candidate, verdict };
    });
  const ordered = CONTEXT_SOURCES.flatMap((source) => taken.filter((one) => one.source === source).reverse());
  return { files: ordered.map(({ path, text }) => ({ path, text })), parts };

  function verdictOn(candidate: ContextCandidate): ContextPart['verdict'] {
    if (shown.includes(candidate.text)) return 'inWindow';
    if (taken.some((one) => one.path === candidate.path && overlap(one, candidate))) return 'doubled';
    const ofSource = taken.filter((one) => one.source === candidate.source).length;
    const fits = sizeOf(candidate) <= left && ofSource < plan.piecesOfSource[candidate.source];
    return fits ? 'taken' : 'overBudget';
  }
}

/** The path's line and the piece, in characters. */
function sizeOf({ path, text }: ContextCandidate): number {
  return path.length + 1 + text.length;
}

/** An outline's lines are none that follow each other, and no other source's. */
function overlap(a: ContextCandidate, b: ContextCandidate): boolean {
  if (a.source === 'outline' || b.source === 'outline') return false;
  return a.firstLine < b.firstLine + lineCount(b.text) && b.firstLine < a.firstLine + lineCount(a.text);
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}
