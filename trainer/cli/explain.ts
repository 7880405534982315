/** `hone explain FILE:LINE:COL`: what the model would be shown there, and why. */
import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { explain, explanationText } from '../../extension/common/context/explain.ts';
import { DEFAULT_CONTEXT_PLAN, type PackedContext } from '../../extension/common/context/pack.ts';
import { toLf } from '../../extension/common/outcome/offsets.ts';
import { withoutOwnClosers } from '../../extension/common/prompt/ownClosers.ts';
import { promptWindow, type PromptWindow } from '../../extension/common/prompt/window.ts';
import { maskSecrets } from '../../extension/common/secrets/mask.ts';
import { repositoryRoot } from '../../extension/workspace/ignoreRules.ts';
import { slashed } from '../../extension/workspace/paths.ts';
import { WorkspaceIndex } from '../../extension/workspace/workspaceIndex.ts';
import { HoneError } from '../server/shared/errors.ts';
import { addConfigOption, commandConfig } from './commandConfig.ts';
import { addCommonOptions, type CommonOptions } from './options.ts';

interface Caret {
  file: string;
  /** 0-based; the character in UTF-16 units. */
  line: number;
  character: number;
}

interface ExplainOptions extends CommonOptions {
  workspace?: string;
}

const NO_EDITOR =
  'What the editor alone knows is not counted in: files viewed lately, unsaved text, the language server.';

/** Adds `explain`. */
export function addExplainCommand(program: Command): void {
  const command = program
    .command('explain')
    .description('print what the model is shown at a place of a file, and why')
    .argument('<file:line:column>', 'the place, counted from 1 as editors do', parseCaret);
  addCommonOptions(command)
    .option('--workspace <dir>', 'folder whose files count (default: the repository of the file)')
    .action((caret: Caret, options: ExplainOptions) => run(caret, options, command));
  addConfigOption(command);
}

async function run(caret: Caret, options: ExplainOptions, command: Command): Promise<void> {
  // Loaded here and not above: other commands need not wait for llama.cpp.
  const { openTokenizer } = await import('../inference/tokenizer.ts');
  const file = resolve(caret.file);
  const text = maskSecrets(readText(file));
  const root = resolve(options.workspace ?? repositoryRoot(dirname(file)) ?? dirname(file));
  const path = slashed(relative(root, file));
  const offset = offsetOf(text, caret);
  const before = text.slice(0, offset);
  const window = promptWindow(before + withoutOwnClosers(before, text.slice(offset)), offset, path);
  const { context, note } = contextOf(root, path, window, text, options.json);
  const { config, modelPath } = commandConfig(command);
  const tokenizer = await openTokenizer(modelPath, config.inference.fimTemplate);
  const { fim } = tokenizer.vocabulary;
  try {
    const explanation = explain({
      path,
      line: caret.line,
      character: caret.character,
      window: fim === null ? { ...window, suffix: '' } : window,
      context: fim === null || fim.layout === 'none' ? null : context,
      suffixFirst: fim?.order === 'spm',
      countTokens: (piece) => tokenizer.vocabulary.tokenize(piece).length,
      notes: [note, fimNote(fim), NO_EDITOR],
    });
    console.log(options.json ? JSON.stringify(explanation) : explanationText(explanation).trimEnd());
  } finally {
    await tokenizer.close();
  }
}

/** The context of a place from the files on the disk. */
function contextOf(
  root: string,
  path: string,
  window: PromptWindow,
  text: string,
  quiet: boolean,
): { context: PackedContext | null; note: string } {
  const index = new WorkspaceIndex({
    folders: [{ root, label: '' }],
    excludedPatterns: [],
    countsWords: DEFAULT_CONTEXT_PLAN.sources.includes('similar'),
  });
  const why = index.whySkipped(path);
  if (why === 'excluded')
    return { context: null, note: 'The editor asks for nothing in this file: it is an excluded one.' };
  if (!quiet && process.stderr.isTTY) console.error(`Reading the files of ${root} …`);
  for (const _ of index.scan());
  const { prefix, suffix, start } = window;
  const ask = { path, prefix, suffix, above: text.slice(0, start), recent: [] };
  const context = index.contextFor({ ask, definitions: [], plan: DEFAULT_CONTEXT_PLAN });
  return { context, note: `Index of ${root}: ${index.report().summary}.` };
}

function fimNote(fim: { family: string; order: string; layout: string } | null): string {
  if (fim === null)
    return 'The model has no fill-in-the-middle markers: it is shown the text before the caret alone.';
  const files = fim.layout === 'none' ? '; it has no way to be shown other files' : '';
  return `Template of the model: ${fim.family}, ${fim.order}${files}.`;
}

/** @throws InvalidArgumentError */
function parseCaret(value: string): Caret {
  const match = /^(.+):(\d+):(\d+)$/.exec(value);
  if (match === null || Number(match[2]) < 1 || Number(match[3]) < 1)
    throw new InvalidArgumentError('A place is FILE:LINE:COLUMN, both numbers from 1.');
  return { file: match[1]!, line: Number(match[2]) - 1, character: Number(match[3]) - 1 };
}

/** The UTF-16 offset of a caret; beyond the end of a line or of the text, that end, as editors take it. */
function offsetOf(text: string, { line, character }: Caret): number {
  const lines = text.split('\n');
  const before = lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0);
  return Math.min(before + Math.min(character, lines[line]?.length ?? 0), text.length);
}

function readText(file: string): string {
  try {
    return toLf(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new HoneError('invalid_request', `The file ${file} can't be read: ${(error as Error).message}.`, {
      param: 'file:line:column',
      cause: error,
    });
  }
}
