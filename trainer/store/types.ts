/** Written when a completion request that allows recording is answered. */
export interface CompletionRecord {
  id: string;
  createdAt: number;
  session: string;
  workspaceKey: string;
  relativePath: string;
  language: string;
  documentVersion: number;
  /** UTF-16 offset of the caret in the document. */
  offset: number;
  /**
   * UTF-16 units between the start of the caret's line and the caret: requests in one line are held out of
   * training together or not at all. Absent: taken from the end of `promptText`.
   */
  column?: number;
  /** `prompt` as the client sent it, when it differs from `promptText`; feedback without an id is joined by it. */
  requestPrompt?: string;
  /** The whole prompt that the model read, markers in their spelling. */
  promptText: string;
  /** Its ids, as evaluated (after the left part was cut to fit). */
  promptTokens: number[];
  modelHash: string;
  adapterVersion: number;
  sampling: {
    temperature: number;
    topP: number;
    topK: number;
    repetitionPenalty: number;
    seed: number | null;
  };
  generatedTokens: number[];
  /** As sampled, natural logarithm; the learner recomputes them and keeps these as a check. */
  generatedLogprobs: (number | null)[];
  finishReason: 'stop' | 'length' | 'cancelled';
  ended: boolean;
  rawText: string;
  cacheOrigin: 'none' | 'prefix';
  latency: { queue: number; prompt: number; firstToken: number; total: number };
}

/** What the inference service needs of the store. */
export interface CompletionSink {
  /** Durable enough to be joined by an outcome that arrives right after the response. */
  recordCompletion(record: CompletionRecord): void;
  /** A request that was cancelled before it could be shown leaves a count, not a row. */
  countCancelled(): void;
}
