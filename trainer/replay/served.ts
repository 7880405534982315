import { DEFAULT_WORKSPACE, type CompletionRequestInput } from '../../extension/common/contracts/index.ts';
import { applyFilters } from '../../extension/common/filters/index.ts';
import { lineRequest } from '../../extension/common/prompt/request.ts';
import { promptWindow } from '../../extension/common/prompt/window.ts';
import type { HttpCompanion } from './companion.ts';
import type { SourceFile } from './files.ts';
import { rightChars } from './habits.ts';
import { documentAt, type Position } from './positions.ts';
import type { ContextOf } from './workspace.ts';

/** What the services showed at a fixed position, and how much of it was right. */
export interface ServedResult extends Position {
  shown: string;
  silent: boolean;
  hiddenBy?: string | undefined;
  /** Characters of the line that had to be written. */
  restChars: number;
  /** Whole suggestion right: it would be taken. */
  accepted: boolean;
  /** Characters that a developer who takes whatever is right, to whole words, keeps. */
  keptChars: number;
  latencyMs: number;
}

/** The request at a fixed position: greedy, and recorded nowhere. */
export function fixedRequest(
  file: SourceFile,
  position: Position,
  context: ContextOf,
): CompletionRequestInput & { rest: string } {
  const { text, caret, rest } = documentAt(file, position);
  const window = promptWindow(text, caret, file.path);
  const facts = {
    workspace: DEFAULT_WORKSPACE,
    language: file.language,
    session: 'evaluation',
    documentVersion: 1,
    offset: caret,
    record: false,
    files: context(window, text),
  };
  return { ...lineRequest(window, facts), temperature: 0, rest };
}

/** Asks the services at every position through the whole path but the recording: window, HTTP, filters. */
export async function askServed(
  companion: HttpCompanion,
  files: readonly SourceFile[],
  positions: readonly Position[],
  context: ContextOf,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<ServedResult[]> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const results: ServedResult[] = [];
  for (const position of positions) {
    const { rest, ...request } = fixedRequest(byPath.get(position.path)!, position, context);
    const answer = await companion.complete(request);
    const filtered = applyFilters(answer.text, { prefix: request.prompt, suffix: request.suffix! });
    const kept = filtered.text === '' ? 0 : rightChars(filtered.text, rest);
    results.push({
      ...position,
      shown: filtered.text,
      silent: filtered.silent,
      hiddenBy: filtered.silent ? undefined : filtered.hiddenBy,
      restChars: rest.length,
      accepted: kept > 0 && kept === filtered.text.length,
      keptChars: kept,
      latencyMs: answer.latencyMs,
    });
    onProgress(results.length, positions.length);
  }
  return results;
}
