import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as TreeSitter from '@vscode/tree-sitter-wasm';
import { BLOCK_LANGUAGES } from '../common/syntax/languages.ts';
import type { Syntax, SyntaxParser } from '../common/syntax/types.ts';

const PACKAGE = '@vscode/tree-sitter-wasm';

/**
 * The parser asks now and then whether it shall go on. Ordinary code of the size that is parsed makes it ask 10 to 40
 * times in half a millisecond; a text that no rule fits to can take it a second, at many questions or at few.
 */
const MOST_QUESTIONS = 60;
const LONGEST_MS = 4;
/** Between two questions no more counts: then the computer was busy with something else. */
const LONGEST_STEP_MS = 1;

/**
 * Parsers of the languages whose blocks are known, each loaded when it is first asked for. Until it is there, and
 * where it can't be loaded, nothing parses and completions stay in one line.
 */
export class Grammars {
  readonly #require: NodeJS.Require;
  readonly #warn: (message: string) => void;
  readonly #now: () => number;
  readonly #parsers = new Map<string, Promise<SyntaxParser | undefined>>();
  readonly #loaded = new Map<string, SyntaxParser>();
  #runtime: Promise<typeof TreeSitter> | undefined;

  /**
   * @param besideFile a file, real or not, from which the package with the grammars is found
   * @param warn told once a grammar that it can't be loaded, and once that a text took too long
   * @param now milliseconds
   */
  constructor(besideFile: string, warn: (message: string) => void, now = () => performance.now()) {
    this.#require = createRequire(besideFile);
    this.#warn = warn;
    this.#now = now;
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

  async #load(grammar: string): Promise<SyntaxParser | undefined> {
    try {
      this.#runtime ??= this.#start();
      const { Language, Parser } = await this.#runtime;
      const folder = dirname(this.#require.resolve(PACKAGE));
      const parser = new Parser().setLanguage(
        await Language.load(join(folder, `tree-sitter-${grammar}.wasm`)),
      );
      return this.#bounded(parser, grammar);
    } catch (error) {
      this.#warn(
        `The grammar of ${grammar} can't be loaded, completions in it stay in one line: ${(error as Error).message}`,
      );
      return undefined;
    }
  }

  /** Gives a text up that takes too long: the editor waits for the thread that this runs on. */
  #bounded(parser: TreeSitter.Parser, grammar: string): SyntaxParser {
    let told = false;
    return {
      parse: (text) => {
        let questions = 0;
        let spentMs = 0;
        let last = this.#now();
        const isTooMuch = (): boolean => {
          const now = this.#now();
          spentMs += Math.min(now - last, LONGEST_STEP_MS);
          last = now;
          return ++questions > MOST_QUESTIONS || spentMs > LONGEST_MS;
        };
        const tree = parser.parse(text, null, { progressCallback: isTooMuch });
        if (tree !== null) return tree;
        // Or it would go on with this text at the next one.
        parser.reset();
        if (!told)
          this.#warn(`A text in ${grammar} takes too long to parse; a completion there stays in one line.`);
        told = true;
        return null;
      },
    };
  }

  async #start(): Promise<typeof TreeSitter> {
    const runtime = this.#require(PACKAGE) as typeof TreeSitter;
    await runtime.Parser.init();
    return runtime;
  }
}
