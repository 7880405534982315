import { FileIndex } from '../../extension/common/context/fileIndex.ts';
import { contextFor, type Workspace } from '../../extension/common/context/gather.ts';
import { DEFAULT_CONTEXT_PLAN, type ContextPlan } from '../../extension/common/context/pack.ts';
import type { ContextFile } from '../../extension/common/context/types.ts';
import type { PromptWindow } from '../../extension/common/prompt/window.ts';
import type { SourceFile } from './files.ts';

/** Pieces of other files for the prompt of a window; `text` is the whole document, LF. */
export type ContextOf = (window: PromptWindow, text: string) => ContextFile[];

export const noContext: ContextOf = () => [];

/** The files as a workspace that retrieval looks into. */
export function workspaceOf(files: readonly SourceFile[]): Workspace {
  const texts = new Map(files.map((file) => [file.path, file.text]));
  const index = new FileIndex();
  for (const { path, text } of files) index.set(path, text);
  return { index, textOf: (path) => texts.get(path) };
}

/** Context as the extension gives it, from files that are all there. */
export function contextFrom(workspace: Workspace, plan: ContextPlan = DEFAULT_CONTEXT_PLAN): ContextOf {
  return ({ path, prefix, suffix, start }, text) =>
    contextFor(workspace, { path, prefix, suffix, above: text.slice(0, start), recent: [] }, plan).files;
}
