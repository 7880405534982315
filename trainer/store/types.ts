import type {
  Evidence,
  Outcome,
  RunDecision,
  RunSummary,
  UpdateConfig,
} from '../../extension/common/contracts/index.ts';
import type { RewardFacts } from '../../extension/common/reward/reward.ts';
import type { Survival } from '../../extension/common/reward/survival.ts';

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
  /** λ at which the adapter served; it can be set anew by hand later. */
  adapterScale: number;
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
  /** The same at temperature 1, for a display filter; empty when the record is older than they are. */
  modelLogprobs: number[];
  finishReason: 'stop' | 'length' | 'cancelled';
  ended: boolean;
  rawText: string;
  /** Absent: none was predicted. */
  prediction?: StoredPrediction;
  /** `lookAhead`: it was asked for before it was needed. */
  cacheOrigin: 'none' | 'prefix' | 'lookAhead';
  latency: { queue: number; prompt: number; firstToken: number; total: number };
}

/** Predicted chances that a completion is taken, and the features that they were computed from. */
export interface StoredPrediction {
  /** Version of the features. */
  v: number;
  /** Before anything was generated. */
  before: number;
  /** Absent: nothing was written. */
  after?: number;
  x: number[];
}

/** What became of a completion of which something was predicted. */
export interface JudgedOutcome extends RewardFacts {
  prediction: StoredPrediction;
  workspaceKey: string;
  /** By the client's clock. */
  at: number;
}

/** What the inference service needs of the store. */
export interface CompletionSink {
  /** Durable enough to be joined by an outcome that arrives right after the response. */
  recordCompletion(record: CompletionRecord): void;
  /** A request that was cancelled before it could be shown leaves a count, not a row. */
  countCancelled(): void;
}

/** A completion as stored. `source: client` is one that this companion did not serve: it has no tokens. */
export interface StoredCompletion extends Omit<
  CompletionRecord,
  'promptTokens' | 'requestPrompt' | 'column'
> {
  source: 'served' | 'client';
  column: number;
  heldOut: boolean;
  /** Null for a client's completion, whose prompt has to be tokenised. */
  promptTokens: number[] | null;
}

/** What is known of a completion that came with feedback but was not served here. */
export interface ClientCompletion {
  id: string;
  createdAt: number;
  workspaceKey: string;
  relativePath: string;
  /** UTF-16 offset of the caret; 0: not told. */
  offset: number;
  promptText: string;
  /** Absent: not known as the loaded model reads it. */
  promptTokens?: number[];
  rawText: string;
  modelHash: string;
}

/** The facts that decide whether an outcome is settled and whether anything can be learned from it. */
export interface OutcomeFacts {
  eventId: string;
  completionId: string;
  seq: number;
  /** Milliseconds since the epoch, this computer's clock. */
  receivedAt: number;
  origin: 'full' | 'flat';
  outcome: Outcome;
  evidence: Evidence;
  shownText: string;
  shownMs: number;
  heldOut: boolean;
  /** Of an accepted text, as last told; null: nothing was told yet. */
  retention: Survival | null;
  /** Null: not told yet. Its text is null when it can't be told. */
  correction: { typed: string | null } | null;
  /** Null: no such completion is recorded. */
  completion: CompletionSummary | null;
}

/** An outcome, and when and where its completion was asked for. */
export interface DocumentOutcome {
  facts: OutcomeFacts;
  /** Milliseconds since the epoch. */
  at: number;
  /** UTF-16 offset of the caret. */
  offset: number;
}

interface CompletionSummary {
  source: 'served' | 'client';
  modelHash: string;
  workspaceKey: string;
  adapterVersion: number;
  sampling: CompletionRecord['sampling'];
  generatedCount: number;
}

/** An outcome with everything that its sample is built from. */
export interface TrainingFacts {
  facts: OutcomeFacts;
  completion: StoredCompletion;
  /** The request before this one in the same document. */
  previous: { offset: number; heldOut: boolean; promptText: string } | null;
}

/** What became of a completion that was served, with the text that the model wrote. */
export interface ServedOutcome {
  /** Adapter that served it. */
  version: number;
  outcome: Outcome;
  evidence: Evidence;
  shownText: string;
  shownMs: number;
  /** Fraction of an accepted text that was there when last looked at; null: not known. */
  retained: number | null;
  rawText: string;
  /** Text right of the caret in the prompt; empty: none, or not known. */
  suffix: string;
  latency: CompletionRecord['latency'];
}

/** What became of one submitted event. */
export type SubmitResult =
  | { id: string; status: 'stored' | 'duplicate' | 'forgotten' }
  | { id: string; status: 'conflict'; message: string };

export type AdapterStatus = 'promoted' | 'provisional' | 'rejected' | 'rolledBack';

export interface AdapterRow {
  version: number;
  /** 0: the base model. */
  parent: number;
  /** Path of the file in the data folder's `checkpoints`, with slashes. */
  file: string;
  modelHash: string;
  modelName: string;
  workspaceKey: string;
  status: AdapterStatus;
  scale: number;
  figures: Record<string, number>;
  createdAt: number;
  /** The file has been deleted. */
  collected: boolean;
}

export interface RunRow extends RunSummary {
  at: number;
  modelHash: string;
  workspaceKey: string;
  parent: number;
}

/** A decided or failed update, as it is written down in one transaction. */
export interface RunRecord {
  id: string;
  modelHash: string;
  workspaceKey: string;
  parent: number;
  /** Version and file of the candidate; null when the run failed before there was one. */
  candidate: { version: number; file: string; scale: number } | null;
  eventIds: string[];
  decision: RunDecision;
  reason: string;
  seconds: Record<string, number>;
  figures: Record<string, number>;
  /** Scores of the gate, for both adapters. */
  scores: unknown;
  config: UpdateConfig;
}
