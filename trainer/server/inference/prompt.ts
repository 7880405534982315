/** From what a client sent to the ids that the model reads. */
import {
  promptText,
  renderFim,
  renderPrefixOnly,
  splitMarkers,
  type FimDocument,
  type RolePart,
} from '../../../extension/common/prompt/fim.ts';
import { takeApartFim } from '../../../extension/common/prompt/fimParse.ts';
import { fitTokens, type TokenPart } from '../../../extension/common/prompt/fit.ts';
import { isLowSurrogate } from '../../../extension/common/prompt/window.ts';
import { maskDocument, maskSecrets } from '../../../extension/common/secrets/mask.ts';
import type { Engine, ModelInfo } from '../../inference/types.ts';

/** What a client asks to have completed: text in which markers count, or a document that is plain text. */
export type PromptSource = { kind: 'raw'; prompt: string } | { kind: 'document'; document: FimDocument };

export interface BuiltPrompt {
  tokens: number[];
  /** The whole prompt, markers in their spelling, before it was cut. */
  text: string;
  /** Tokens cut to fit the context; of text far beyond it, an estimate. */
  truncatedTokens: number;
  /** True when a suffix was given and the model has no markers to be shown it with. */
  suffixDropped: boolean;
  hasSuffix: boolean;
  rerendered: boolean;
  /** Secrets were found and written over; `tokens` and `text` are what came of it. */
  masked: boolean;
}

/** What a prompt is built with. */
type PromptEngine = Pick<Engine, 'tokenize' | 'tokenizeParts'> & {
  model: Pick<ModelInfo, 'fim' | 'contextTokens' | 'beginOfText'>;
};

/** Text longer than this per token of the context can't fit; it is cut before it is tokenised. */
const MAX_CHARS_PER_TOKEN = 32;

/**
 * Masks secrets, renders, tokenises and cuts the prompt so that `maxTokens` still fit behind it. Whatever the client
 * masked or did not: no model sees a secret, no record holds one, and ids and text of a record agree.
 */
export function buildPrompt(engine: PromptEngine, source: PromptSource, maxTokens: number): BuiltPrompt {
  const { model } = engine;
  const rendered = render(model, source);
  const budget = model.contextTokens - maxTokens;
  const { parts, cutChars, keptChars } = precut(rendered.parts, model.contextTokens * MAX_CHARS_PER_TOKEN);
  const tokenised = tokenise(engine, parts);
  const fitted = fitTokens(tokenised, budget);
  const total = tokenised.reduce((sum, part) => sum + part.tokens.length, 0);
  const estimate = cutChars === 0 ? 0 : Math.round((cutChars / keptChars) * total);
  return {
    tokens: fitted.tokens,
    text: promptText(rendered.parts),
    truncatedTokens: fitted.truncated + estimate,
    hasSuffix: rendered.hasSuffix,
    suffixDropped: rendered.hasSuffix && model.fim === null,
    rerendered: rendered.rerendered,
    masked: rendered.masked,
  };
}

interface Rendered {
  parts: RolePart[];
  hasSuffix: boolean;
  rerendered: boolean;
  masked: boolean;
}

function render(model: PromptEngine['model'], source: PromptSource): Rendered {
  if (source.kind === 'document') return { ...renderMasked(model, source.document), rerendered: false };
  const apart = takeApartFim(source.prompt);
  if (apart !== null) {
    const rendered = renderMasked(model, apart.document);
    return { ...rendered, rerendered: rendered.plain !== source.prompt };
  }
  const parts = splitMarkers(source.prompt, model.fim?.markers ?? []).map((part) =>
    'text' in part ? { ...part, text: maskSecrets(part.text) } : part,
  );
  return { parts, hasSuffix: false, rerendered: false, masked: promptText(parts) !== source.prompt };
}

/** A document with its secrets masked, and the text of the prompt as it would be without that. */
function renderMasked(
  model: PromptEngine['model'],
  document: FimDocument,
): Omit<Rendered, 'rerendered'> & { plain: string } {
  const plain = promptText(renderDocument(model, document));
  const parts = renderDocument(model, maskDocument(document));
  return { parts, hasSuffix: true, masked: promptText(parts) !== plain, plain };
}

function renderDocument(model: PromptEngine['model'], document: FimDocument): RolePart[] {
  return model.fim === null ? renderPrefixOnly(document) : renderFim(model.fim, document);
}

function tokenise(engine: PromptEngine, parts: RolePart[]): TokenPart[] {
  const begin = engine.model.beginOfText;
  const front: TokenPart[] = begin === null ? [] : [{ role: 'marker', tokens: [begin] }];
  const rest = parts.map((part): TokenPart => {
    if ('text' in part) return { role: part.role, tokens: engine.tokenize(part.text) };
    return { role: part.role, tokens: engine.tokenizeParts([part]).slice(front.length) };
  });
  return [...front, ...rest];
}

function precut(
  parts: RolePart[],
  limit: number,
): { parts: RolePart[]; cutChars: number; keptChars: number } {
  let cutChars = 0;
  let keptChars = 0;
  const cut = parts.map((part): RolePart => {
    if ('marker' in part) return part;
    const text = part.role === 'suffix' ? firstChars(part.text, limit) : lastChars(part.text, limit);
    cutChars += part.text.length - text.length;
    keptChars += text.length;
    return { text, role: part.role };
  });
  return { parts: cut, cutChars, keptChars };
}

function firstChars(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit);
}

function lastChars(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const start = text.length - limit;
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}
