import type { AdapterRef } from '../../extension/common/contracts/index.ts';
import type { FimTemplate, PromptPart } from '../../extension/common/prompt/fim.ts';

export type { PromptPart };

/** What the services need to know of the loaded model. */
export interface ModelInfo {
  path: string;
  /** SHA-256 of the file, hex; everything learned is keyed by it. */
  hash: string;
  name: string;
  architecture: string;
  /** Transformer blocks. */
  layers: number;
  contextTokens: number;
  /** Fill-in-the-middle order and markers, or null when the model has none (then prefix only). */
  fim: FimTemplate | null;
  /** True when `fim` is null because the user wants it so. */
  fimSwitchedOff: boolean;
  /** Ends a completion. */
  endOfText: number;
  /** Put in front of every prompt when the model wants it; `tokenizeParts` does so. */
  beginOfText: number | null;
  /** Ids after which a one-line completion is over: end-of-generation ids and ids whose text begins with a newline. */
  endTokens: number[];
}

export interface GenerateRequest {
  prompt: number[];
  /** 0: the prompt is read into the cache, for the request that comes next, and nothing is generated. */
  maxTokens: number;
  temperature: number;
  topP: number;
  /** 0: off. */
  topK: number;
  repetitionPenalty: number;
  stop: string[];
  /**
   * Asked after every token with the text so far and the milliseconds since the first token: where the text ends, or
   * null when it goes on.
   */
  endsAt?: (text: string, generatingMs: number) => number | null;
  seed?: number;
  /** Reads the whole prompt anew: what is computed then doesn't depend on what was asked before. */
  fresh?: boolean;
  /** Called for every token, in order, before the next is computed. */
  onToken?: (token: GeneratedToken) => void;
  signal?: AbortSignal;
  /** Answers this request only; absent: the one that `useAdapter` brought into service. */
  adapter?: AdapterRef;
  /** A `lookahead` waits for all others, and is cancelled with the token or chunk under way when another one comes. */
  priority?: 'keystroke' | 'lookahead';
}

export interface GeneratedToken {
  id: number;
  /** Text that this token completes; empty while a multi-byte character is open. */
  text: string;
  /** Log-probability under the sampling temperature, natural logarithm; null when it was not asked for. */
  logprob: number | null;
  /**
   * Log-probability at temperature 1, nats: how sure the model is, at whatever temperature the token was drawn. Exact
   * at temperature 0 and 1; in between and above, too high by what the least likely tokens weigh (see `Sampler`).
   */
  modelLogprob: number;
}

export interface GenerateResult {
  /** Ids as sampled, the end token included when the model ended by itself. */
  tokens: GeneratedToken[];
  text: string;
  finishReason: 'stop' | 'length' | 'cancelled';
  /** True when the last id is an end-of-generation token. */
  ended: boolean;
  adapterVersion: number;
  /** λ at which the adapter served. */
  adapterScale: number;
  cachedTokens: number;
  /** Milliseconds. */
  timings: { queue: number; prompt: number; firstToken: number; total: number };
}

/** Serves completions of one model; swaps adapters without dropping a request in flight. */
export interface Engine {
  readonly model: ModelInfo;
  readonly adapter: AdapterRef;
  /** Bytes that the model was reckoned to take before it was loaded: served, and more while it is learned from. */
  readonly memory: { serving: number; learning: number };
  /** Most threads it computes with: the physical cores, unless told otherwise. */
  readonly threads: number;
  /** What it computes on. */
  readonly device: 'cpu' | 'cuda' | 'vulkan' | 'metal';
  /** Memory of the device, in bytes; null: the processor's. */
  readonly gpuMemoryBytes: number | null;
  /** Plain text to ids; marker spellings in the text stay text. */
  tokenize(text: string): number[];
  /** Parts to ids; markers become their special token. */
  tokenizeParts(parts: PromptPart[]): number[];
  /** Ids to text, special tokens left out. */
  detokenize(tokens: number[]): string;
  generate(request: GenerateRequest): Promise<GenerateResult>;
  /** The next request uses the adapter; requests under way finish under the old one. */
  useAdapter(adapter: AdapterRef): Promise<void>;
  /** Opens an adapter beside the one in service, for requests that name it; the one not asked for the longest goes. */
  holdAdapter(adapter: AdapterRef): Promise<void>;
  /** Lets go of a version that is held beside the one in service, once no request uses it. */
  dropAdapter(version: number): Promise<void>;
  /** Lets go of what was read of earlier prompts; requests under way end as they began. */
  forget(): Promise<void>;
  /** Called with true when the first request starts and with false when the last one ends; returns an unsubscriber. */
  onBusy(listener: (busy: boolean) => void): () => void;
  dispose(): Promise<void>;
}
