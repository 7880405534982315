/** Asks the model at fixed places, once for each way of building the prompt. */
import { distance } from 'fastest-levenshtein';
import type { Workspace } from '../../../extension/common/context/gather.ts';
import { DEFAULT_CONTEXT_PLAN } from '../../../extension/common/context/pack.ts';
import type { ContextSource } from '../../../extension/common/context/types.ts';
import { applyFilters, type FilterName, type FilterResult } from '../../../extension/common/filters/index.ts';
import { MAX_COMPLETION_TOKENS } from '../../../extension/common/prompt/request.ts';
import { promptWindow } from '../../../extension/common/prompt/window.ts';
import type { Engine } from '../../../trainer/inference/types.ts';
import type { SourceFile } from '../../../trainer/replay/files.ts';
import { rightChars } from '../../../trainer/replay/habits.ts';
import { documentAt, type Position } from '../../../trainer/replay/positions.ts';
import { contextFrom, noContext } from '../../../trainer/replay/workspace.ts';
import { buildPrompt } from '../../../trainer/server/inference/prompt.ts';

/** A way of building the prompt. */
export interface Arm {
  name: string;
  sources: readonly ContextSource[];
  /** Most tokens of context. */
  budgetTokens: number;
}

/** What the model wrote at a place. */
export interface Answer {
  arm: string;
  path: string;
  /** What stands there really, to the end of the line. */
  rest: string;
  prefix: string;
  suffix: string;
  start: number;
  raw: string;
  promptTokens: number;
  /** Tokens of the prompt that were not in the cache, and the milliseconds that they took. */
  evaluatedTokens: number;
  promptMs: number;
  /** Pieces of context in the prompt. */
  pieces: number;
  /** What was looked for in the workspace; the editor does it while the developer types. */
  retrievalMs: number;
  /** From the request to the whole text, nothing of the prompt in the cache. */
  latencyMs: number;
}

/** What of an answer is shown, and what it is worth. */
export interface Shown {
  result: FilterResult;
  exact: boolean;
  /** 1 − Levenshtein distance / longer length; 0 for nothing shown. */
  similarity: number;
  /** Characters that a developer who takes whatever is right, to whole words, needn't type. */
  savedChars: number;
}

/** One greedy completion of one line. */
export async function askAt(
  engine: Engine,
  workspace: Workspace,
  file: SourceFile,
  position: Position,
  arm: Arm,
): Promise<Answer> {
  const { text, caret, rest } = documentAt(file, position);
  const window = promptWindow(text, caret, file.path);
  const { prefix, suffix, path, start } = window;
  const began = performance.now();
  const context =
    arm.sources.length === 0
      ? noContext
      : contextFrom(workspace, {
          ...DEFAULT_CONTEXT_PLAN,
          sources: arm.sources,
          budgetTokens: arm.budgetTokens,
        });
  const files = context(window, text);
  const asked = performance.now();
  const document = { prefix, suffix, path, files };
  const prompt = buildPrompt(engine, { kind: 'document', document }, MAX_COMPLETION_TOKENS).tokens;
  const result = await engine.generate({
    prompt,
    maxTokens: MAX_COMPLETION_TOKENS,
    temperature: 0,
    topP: 1,
    topK: 0,
    repetitionPenalty: 1,
    stop: ['\n'],
  });
  return {
    arm: arm.name,
    path,
    rest,
    prefix,
    suffix,
    start,
    raw: result.text,
    promptTokens: prompt.length,
    evaluatedTokens: prompt.length - result.cachedTokens,
    promptMs: result.timings.prompt,
    pieces: files.length,
    retrievalMs: asked - began,
    latencyMs: performance.now() - asked,
  };
}

/** Puts an answer through the filters, all but those in `off`. */
export function show(answer: Answer, off?: ReadonlySet<FilterName>): Shown {
  const { prefix, suffix, start, raw, rest } = answer;
  const result = applyFilters(raw, { prefix, suffix, start }, off);
  const longer = Math.max(result.text.length, rest.length);
  return {
    result,
    exact: result.text.trimEnd() === rest,
    similarity: result.text === '' ? 0 : 1 - distance(result.text, rest) / longer,
    savedChars: result.text === '' ? 0 : rightChars(result.text, rest),
  };
}
