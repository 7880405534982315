/** The little of a parser that is used here, so that this folder stays pure; web-tree-sitter's own objects fit. */

/** Offsets are UTF-16 units of the parsed text. */
export interface SyntaxNode {
  readonly type: string;
  readonly startIndex: number;
  readonly endIndex: number;
  /** True when the node or one inside it is wrong or missing. */
  readonly hasError: boolean;
  readonly parent: SyntaxNode | null;
  readonly namedChildren: readonly (SyntaxNode | null)[];
  descendantForIndex(start: number, end: number): SyntaxNode | null;
}

interface SyntaxTree {
  readonly rootNode: SyntaxNode;
  /** Gives the tree's memory back. */
  delete(): void;
}

/** A parser of one language. */
export interface SyntaxParser {
  parse(text: string): SyntaxTree | null;
}

/** How a language writes blocks, and what parses it. */
export interface BlockLanguage {
  /** `tree-sitter-<grammar>.wasm` */
  grammar: string;
  /** What begins a block at the end of a line. */
  opener: '{' | ':';
  /** Node types of blocks whose statements or members stand on lines of their own. */
  blocks: ReadonlySet<string>;
  /** Opens a class, where its members would not parse without one. */
  memberHead?: string | undefined;
}

/** A language and its parser, both there. */
export interface Syntax {
  language: BlockLanguage;
  parser: SyntaxParser;
}
