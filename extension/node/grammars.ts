import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as TreeSitter from '@vscode/tree-sitter-wasm';
import { BLOCK_LANGUAGES } from '../common/syntax/languages.ts';
import type { Syntax } from '../common/syntax/types.ts';

const PACKAGE = '@vscode/tree-sitter-wasm';

/**
 * Parsers of the languages whose blocks are known, each loaded when it is first asked for. Until it is there, and
 * where it can't be loaded, nothing parses and completions stay in one line.
 */
export class Grammars {
  readonly #require: NodeJS.Require;
  readonly #warn: (message: string) => void;
  readonly #parsers = new Map<string, Promise<TreeSitter.Parser | undefined>>();
  readonly #loaded = new Map<string, TreeSitter.Parser>();
  #runtime: Promise<typeof TreeSitter> | undefined;

  /**
   * @param besideFile a file, real or not, from which the package with the grammars is found
   * @param warn told once for a grammar that can't be loaded
   */
  constructor(besideFile: string, warn: (message: string) => void) {
    this.#require = createRequire(besideFile);
    this.#warn = warn;
  }

  /** What parses a language of the editor, if it is loaded; begins to load it otherwise. */
  syntaxOf(languageId: string): Syntax | undefined {
    const language = BLOCK_LANGUAGES[languageId];
    if (language === undefined) return undefined;
    const parser = this.#loaded.get(language.grammar);
    if (parser === undefined) void this.load(language.grammar);
    return parser && { language, parser };
  }

  /** Resolves when the grammar is loaded, or has been refused. */
  async load(grammar: string): Promise<void> {
    const loading = this.#parsers.get(grammar) ?? this.#load(grammar);
    this.#parsers.set(grammar, loading);
    const parser = await loading;
    if (parser !== undefined) this.#loaded.set(grammar, parser);
  }

  async #load(grammar: string): Promise<TreeSitter.Parser | undefined> {
    try {
      this.#runtime ??= this.#start();
      const { Language, Parser } = await this.#runtime;
      const folder = dirname(this.#require.resolve(PACKAGE));
      return new Parser().setLanguage(await Language.load(join(folder, `tree-sitter-${grammar}.wasm`)));
    } catch (error) {
      this.#warn(
        `The grammar of ${grammar} can't be loaded, completions in it stay in one line: ${(error as Error).message}`,
      );
      return undefined;
    }
  }

  async #start(): Promise<typeof TreeSitter> {
    const runtime = this.#require(PACKAGE) as typeof TreeSitter;
    await runtime.Parser.init();
    return runtime;
  }
}
