/** What the prompt for a place consists of and why; made once for the editor's command and for `hone explain`. Pure. */
import type { PromptWindow } from '../prompt/window.ts';
import type { PackedContext } from './pack.ts';
import type { ContextPart, ContextVerdict } from './types.ts';

export interface ExplainedPart {
  /** Where it comes from: a context source, or the document's own text. */
  source: ContextPart['source'] | 'prefix' | 'suffix';
  path: string;
  /** 1-based, both included. */
  firstLine: number;
  lastLine: number;
  tokens: number;
  /** Of pieces of other files; comparable within a source. */
  score?: number;
  signals?: Record<string, number>;
  verdict: ContextVerdict;
  text: string;
}

export interface Explanation {
  path: string;
  /** 1-based. */
  line: number;
  column: number;
  /** What the model is shown, in its order. */
  shown: ExplainedPart[];
  /** What was found and is not shown. */
  leftOut: ExplainedPart[];
  /** Of everything that is shown, without paths and markers. */
  tokens: number;
  /** Sentences on what holds for the whole prompt. */
  notes: string[];
}

export interface ExplainAsk {
  path: string;
  /** 0-based, as editors count. */
  line: number;
  character: number;
  window: PromptWindow;
  /** Null: no context was asked for. */
  context: PackedContext | null;
  /** The suffix stands in front of the prefix. */
  suffixFirst: boolean;
  countTokens: (text: string) => number;
  notes: string[];
}

const WHY: Record<ContextVerdict, string> = {
  taken: 'shown',
  overBudget: 'left out: better pieces used up the budget, or the places of its source',
  doubled: 'left out: a piece that is shown has the same lines',
  inWindow: 'left out: the text around the caret has the same lines',
};

/** Puts together what is known of a prompt. */
export function explain(ask: ExplainAsk): Explanation {
  const { path, line, character, window, context, suffixFirst, countTokens, notes } = ask;
  const parts = context?.parts.map((part) => explained(part, countTokens)) ?? [];
  const pieces = (context?.files ?? []).flatMap((file) =>
    parts.filter((part) => part.verdict === 'taken' && part.path === file.path && part.text === file.text),
  );
  const above = linesIn(window.prefix) - 1;
  const own = { path, verdict: 'taken' as const };
  const prefix: ExplainedPart = {
    ...own,
    source: 'prefix',
    firstLine: line - above + 1,
    lastLine: line + 1,
    tokens: countTokens(window.prefix),
    text: window.prefix,
  };
  const suffix: ExplainedPart = {
    ...own,
    source: 'suffix',
    firstLine: line + 1,
    lastLine: line + linesIn(withoutLastEnd(window.suffix)),
    tokens: countTokens(window.suffix),
    text: window.suffix,
  };
  const shown = [...pieces, ...(suffixFirst ? [suffix, prefix] : [prefix, suffix])];
  return {
    path,
    line: line + 1,
    column: character + 1,
    shown,
    leftOut: parts.filter((part) => part.verdict !== 'taken'),
    tokens: shown.reduce((sum, part) => sum + part.tokens, 0),
    notes,
  };
}

/** As a page to read: first a line for each part, then the texts. */
export function explanationText(explanation: Explanation): string {
  const { path, line, column, shown, leftOut, tokens, notes } = explanation;
  const sections = [
    `Prompt at ${path}:${line}:${column}: ${tokens} tokens in ${shown.length} parts, in the model's order`,
    ...notes,
    '',
    ...shown.map((part, index) => `${String(index + 1).padStart(2)}. ${describe(part)}`),
    '',
    leftOut.length === 0 ? 'Nothing else was found.' : `Also found, best first within a source:`,
    ...leftOut.map((part) => ` -  ${describe(part)}; ${WHY[part.verdict]}`),
    '',
    ...shown.flatMap((part, index) => [
      `--- ${index + 1}. ${placeOf(part)} ---`,
      withoutLastEnd(part.text),
      '',
    ]),
  ];
  return `${sections.join('\n').trimEnd()}\n`;
}

function explained(part: ContextPart, countTokens: (text: string) => number): ExplainedPart {
  const { source, path, firstLine, text, score, signals, verdict } = part;
  return {
    source,
    path,
    firstLine: firstLine + 1,
    lastLine: firstLine + linesIn(withoutLastEnd(text)),
    tokens: countTokens(text),
    score,
    signals,
    verdict,
    text,
  };
}

function describe(part: ExplainedPart): string {
  const { source, tokens, score, signals = {} } = part;
  const facts = [`${tokens} tokens`];
  if (score !== undefined) facts.push(`score ${score.toFixed(2)}`);
  for (const [name, value] of Object.entries(signals)) facts.push(`${name} ${Number(value.toFixed(2))}`);
  return `${source.padEnd(11)} ${placeOf(part)}  ${facts.join(', ')}`;
}

function placeOf({ path, firstLine, lastLine }: ExplainedPart): string {
  return `${path}:${firstLine}${lastLine > firstLine ? `-${lastLine}` : ''}`;
}

function linesIn(text: string): number {
  return text.split('\n').length;
}

function withoutLastEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
