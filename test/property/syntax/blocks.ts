import treeSitter from '@vscode/tree-sitter-wasm';
import { fileURLToPath } from 'node:url';
import { indentOf } from '../../../extension/common/filters/types.ts';
import { BLOCK_LANGUAGES } from '../../../extension/common/syntax/languages.ts';
import type { Syntax, SyntaxNode, SyntaxParser } from '../../../extension/common/syntax/types.ts';
import { readSourceFiles } from '../../../trainer/replay/files.ts';
import { syntaxFor } from '../../unit/syntax/parsers.ts';

/** A block of real code with its inside taken out, as the editor leaves it behind Enter. */
export interface RealBlock {
  /** `path:line` */
  name: string;
  path: string;
  syntax: Syntax;
  before: string;
  /** What stood there, from the caret's column on. */
  inside: string;
  after: string;
  /** Of the line in which the block begins. */
  indent: string;
}

/** Every block of the fixture whose brackets end one line and begin another. */
export async function realBlocks(): Promise<RealBlock[]> {
  const folder = fileURLToPath(new URL('../../../trainer/replay/fixture/code', import.meta.url));
  const blocks: RealBlock[] = [];
  for (const { path, language, text } of await readSourceFiles(folder)) {
    const syntax = await syntaxFor(language);
    const tree = (await parserOf(language)).parse(text)!;
    for (const { startIndex, endIndex } of blocksBelow(tree.rootNode, BLOCK_LANGUAGES[language]!.blocks)) {
      const inside = text.slice(startIndex + 1, endIndex - 1);
      const [first = '', ...rest] = inside.split('\n').slice(1, -1);
      if (!inside.startsWith('\n') || first.trim() === '') continue;
      const line = text.slice(0, startIndex).split('\n').length;
      blocks.push({
        name: `${path}:${line}`,
        path,
        syntax,
        before: `${text.slice(0, startIndex + 1)}\n${indentOf(first)}`,
        inside: [first.trimStart(), ...rest].join('\n'),
        after: text.slice(startIndex + 1 + inside.lastIndexOf('\n')),
        indent: indentOf(text.slice(text.lastIndexOf('\n', startIndex) + 1)),
      });
    }
    tree.delete();
  }
  return blocks;
}

/** One that takes its time: whole files are more than a keystroke has. */
async function parserOf(languageId: string): Promise<SyntaxParser> {
  const { grammar } = BLOCK_LANGUAGES[languageId]!;
  const file = fileURLToPath(
    import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`),
  );
  await treeSitter.Parser.init();
  return new treeSitter.Parser().setLanguage(await treeSitter.Language.load(file));
}

function blocksBelow(node: SyntaxNode, types: ReadonlySet<string>): SyntaxNode[] {
  const inner = node.namedChildren.flatMap((child) => (child ? blocksBelow(child, types) : []));
  return types.has(node.type) && !node.hasError ? [node, ...inner] : inner;
}
