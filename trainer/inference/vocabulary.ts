/** Text to ids and back, with markers kept apart from text that merely spells them. */
import { LlamaVocabularyType, type GgufFileInfo, type LlamaModel, type Token } from 'node-llama-cpp';
import type { FimTemplate, PromptPart } from '../../extension/common/prompt/fim.ts';
import { chooseFimTemplate, fimChoiceProblem } from '../../extension/common/prompt/fimChoice.ts';
import { HoneError } from '../server/shared/errors.ts';
import { ByteLevelText } from './byteLevel.ts';
import { SpecialTokens } from './specialTokens.ts';

/** How many ids before a piece of text tell the detokeniser whether a space belongs in front. */
const CONTEXT_IDS = 3;

/** One model's tokens: its markers, its ends, text to ids and back. */
export class Vocabulary {
  readonly fim: FimTemplate | null;
  readonly beginOfText: number | null;
  readonly endOfText: number;
  /** Ids that end a generation: the model's own, and every special one, which has no place inside a completion. */
  readonly endOfGeneration: ReadonlySet<number>;
  /** `endOfGeneration`, and ids whose text begins with a newline. */
  readonly endTokens: number[];
  private readonly model: LlamaModel;
  private readonly special: SpecialTokens;
  private readonly markerIds: ReadonlyMap<string, number>;
  /** SentencePiece drops the space that a text begins with; behind these ids it begins none. */
  private readonly textBefore: number[];
  /** Null: not a byte-level vocabulary. */
  private readonly byteLevel: ByteLevelText | null;

  /**
   * @param fimChoice One of `FIM_CHOICES`.
   * @throws HoneError `fim_template_unfit` when the vocabulary lacks what the choice needs.
   */
  constructor(model: LlamaModel, info: GgufFileInfo, fimChoice = 'auto') {
    this.model = model;
    const { tokens: spellings, token_type: types } = info.metadata.tokenizer.ggml;
    const ids = new Map(spellings.map((spelling, id) => [spelling, id]));
    const known = new Set(ids.keys());
    const problem = fimChoiceProblem(known, fimChoice);
    if (problem !== null) throw unfit(fimChoice, problem);
    this.fim = chooseFimTemplate(known, fimOrder(info), fimChoice);
    this.markerIds = new Map((this.fim?.markers ?? []).map((marker) => [marker, ids.get(marker)!]));
    this.byteLevel =
      model.vocabularyType === LlamaVocabularyType.bpe ? new ByteLevelText(spellings, types ?? []) : null;
    this.textBefore = this.isSpaced ? this.encode('\n') : [];
    this.beginOfText = model.tokens.shouldPrependBosToken ? model.tokens.bos : null;
    this.endOfText = model.tokens.eos ?? model.tokens.eot ?? 0;
    const ending = spellings.map((_, id) => id).filter((id) => model.isEogToken(id as Token));
    this.special = new SpecialTokens(spellings, types ?? [], ending);
    this.endOfGeneration = this.special.ids;
    this.endTokens = [
      ...this.endOfGeneration,
      ...spellings.map((_, id) => id).filter((id) => !this.endOfGeneration.has(id) && this.beginsLine(id)),
    ];
  }

  /** Plain text to ids; spellings of special tokens in it stay text. */
  tokenize(text: string): number[] {
    const tokens = this.encode(text);
    const parsed = new Set(tokens.filter((id) => this.special.ids.has(id)));
    if (parsed.size === 0) return tokens;
    // llama.cpp parses the spellings of user-defined tokens always: cut them in two.
    return this.special.cutSpellings(text, parsed).flatMap((piece) => this.encode(piece));
  }

  /** Parts to ids, the model's begin-of-text in front when it wants one. */
  tokenizeParts(parts: readonly PromptPart[]): number[] {
    const tokens = parts.flatMap((part) => this.tokenizePart(part));
    return this.beginOfText === null ? tokens : [this.beginOfText, ...tokens];
  }

  tokenizePart(part: PromptPart): number[] {
    if ('text' in part) return this.tokenize(part.text);
    const id = this.markerIds.get(part.marker);
    if (id === undefined) throw new Error(`The model has no marker "${part.marker}".`);
    return [id];
  }

  /** Ids to text, special ones left out. `before`: ids that stand in front. */
  detokenize(tokens: readonly number[], before: readonly number[] = []): string {
    const plain = (ids: readonly number[]) => ids.filter((id) => !this.special.ids.has(id)) as Token[];
    if (this.byteLevel !== null) return this.byteLevel.decode(plain(tokens));
    const front = [...this.textBefore, ...before.slice(-CONTEXT_IDS)];
    return this.model.detokenize(plain(tokens), false, plain(front));
  }

  private encode(text: string): number[] {
    if (!this.isSpaced) return this.model.tokenize(text, false);
    // SentencePiece puts a space in front of a text. Behind a character that nothing merges with, it puts none.
    const anchor = text.startsWith('\n') ? 'a' : '\n';
    return this.model.tokenize(anchor + text, false).slice(this.model.tokenize(anchor, false).length);
  }

  private get isSpaced(): boolean {
    return this.model.vocabularyType === LlamaVocabularyType.spm;
  }

  private beginsLine(id: number): boolean {
    return /^\r?\n/.test(this.model.detokenize([id as Token], false));
  }
}

/** `hone.fim.order` says in which order a model was trained; the file format has no key of its own for it. */
function fimOrder(info: GgufFileInfo): string | null {
  const hone = (info.metadata as unknown as { hone?: { fim?: { order?: unknown } } }).hone;
  return typeof hone?.fim?.order === 'string' ? hone.fim.order : null;
}

function unfit(choice: string, problem: string): HoneError {
  return new HoneError(
    'fim_template_unfit',
    `The model can't be served with the fill-in-the-middle template "${choice}": ${problem}. Set --fim-template, or the setting hone.completions.fimTemplate, to auto or to one that fits the model.`,
    { param: '--fim-template' },
  );
}
