/** Text to ids and back, with markers kept apart from text that merely spells them. */
import { LlamaVocabularyType, type GgufFileInfo, type LlamaModel, type Token } from 'node-llama-cpp';
import { chooseFimTemplate, type FimTemplate, type PromptPart } from '../../extension/common/prompt/fim.ts';

/** How many ids before a piece of text tell the detokeniser whether a space belongs in front. */
const CONTEXT_IDS = 3;

/** One model's tokens: its markers, its ends, text to ids and back. */
export class Vocabulary {
  readonly fim: FimTemplate | null;
  readonly beginOfText: number | null;
  readonly endOfText: number;
  /** Ids that end a generation: the model's own, and its markers, which have no place inside a completion. */
  readonly endOfGeneration: ReadonlySet<number>;
  /** `endOfGeneration`, and ids whose text begins with a newline. */
  readonly endTokens: number[];
  private readonly model: LlamaModel;
  private readonly markerIds: ReadonlyMap<string, number>;

  constructor(model: LlamaModel, info: GgufFileInfo) {
    this.model = model;
    const spellings = info.metadata.tokenizer.ggml.tokens as string[];
    const ids = new Map(spellings.map((spelling, id) => [spelling, id]));
    this.fim = chooseFimTemplate(new Set(ids.keys()), fimOrder(info));
    this.markerIds = new Map((this.fim?.markers ?? []).map((marker) => [marker, ids.get(marker)!]));
    this.beginOfText = model.tokens.shouldPrependBosToken ? model.tokens.bos : null;
    this.endOfText = model.tokens.eos ?? model.tokens.eot ?? 0;
    const ending = spellings.map((_, id) => id).filter((id) => model.isEogToken(id as Token));
    this.endOfGeneration = new Set([...ending, ...this.markerIds.values()]);
    this.endTokens = [
      ...this.endOfGeneration,
      ...spellings.map((_, id) => id).filter((id) => !this.endOfGeneration.has(id) && this.beginsLine(id)),
    ];
  }

  /** Plain text to ids; marker spellings in it stay text. */
  tokenize(text: string): number[] {
    const tokens = this.encode(text);
    const markers = new Set(this.markerIds.values());
    if (!tokens.some((id) => markers.has(id))) return tokens;
    // A vocabulary that lists its markers as user-defined tokens parses them always: cut their spellings in two.
    const spellings = [...this.markerIds.keys()];
    return this.splitAt(text, spellings).flatMap((piece) =>
      spellings.includes(piece)
        ? [...this.encode(piece.slice(0, 1)), ...this.encode(piece.slice(1))]
        : this.encode(piece),
    );
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
    const plain = (ids: readonly number[]) => ids.filter((id) => !this.endOfGeneration.has(id)) as Token[];
    return this.model.detokenize(plain(tokens), false, plain(before.slice(-CONTEXT_IDS)));
  }

  private encode(text: string): number[] {
    const spaced = this.model.vocabularyType === LlamaVocabularyType.spm;
    return this.model.tokenize(text, false, spaced ? 'trimLeadingSpace' : undefined);
  }

  private splitAt(text: string, spellings: string[]): string[] {
    return spellings.reduce<string[]>(
      (pieces, spelling) =>
        pieces.flatMap((piece) =>
          spellings.includes(piece)
            ? [piece]
            : piece.split(spelling).flatMap((part, index) => (index === 0 ? [part] : [spelling, part])),
        ),
      [text],
    );
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
