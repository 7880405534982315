import * as z from 'zod';
import { displayDecisionSchema, evidenceSchema, outcomeSchema } from './outcome.ts';
import { optional } from './requestFields.ts';

/** Version of every schema in this folder; a reader keeps unknown fields of a newer peer. */
export const CONTRACT_VERSION = 1;

/** Workspace key of what names none, and of the adapter that all share which have none of their own. */
export const DEFAULT_WORKSPACE = 'default';

const eventBase = {
  v: z.literal(CONTRACT_VERSION),
  /** UUIDv7 of the event; the same id twice is one event. */
  id: z.uuid(),
  completionId: z.uuid(),
  /** Milliseconds since the epoch. */
  at: z.number().nonnegative(),
};

/** The terminal outcome of a completion, with what was shown. */
const outcomeEventSchema = z.looseObject({
  ...eventBase,
  kind: z.literal('outcome'),
  outcome: outcomeSchema,
  evidence: evidenceSchema,
  /** Text as displayed, after filters, line ends LF. Empty when nothing was shown. */
  shownText: z.string(),
  /** Names of the filters that changed or hid the text. */
  filters: z.array(z.string()).default([]),
  display: displayDecisionSchema.optional(),
  /** How long the text was on display, in milliseconds. */
  shownMs: z.number().nonnegative().default(0),
  language: z.string().default(''),
  relativePath: z.string().default(''),
  workspaceKey: z.string().default(DEFAULT_WORKSPACE),
  documentVersion: z.int().nonnegative().default(0),
  /** UTF-16 offset of the caret in the document when the completion was asked for. */
  offset: z.int().nonnegative().default(0),
  session: z.string().default(''),
});
export type OutcomeEvent = z.infer<typeof outcomeEventSchema>;

/** How much of an accepted text is still there, some time later. */
const retentionEventSchema = z.looseObject({
  ...eventBase,
  kind: z.literal('retention'),
  afterSeconds: z.union([z.literal(30), z.literal(120), z.literal(300), z.literal(600)]),
  /** 0..1; null: not known, for example because the editor was closed. */
  fraction: z.number().min(0).max(1).nullable(),
});
export type RetentionEvent = z.infer<typeof retentionEventSchema>;

/** What stands where the suggestion was offered, once the developer has finished there. */
const correctionEventSchema = z.looseObject({
  ...eventBase,
  kind: z.literal('correction'),
  /** Null when the correction can't be told (undo, large paste, generated edits, document closed). */
  typed: z.string().nullable(),
});
export type CorrectionEvent = z.infer<typeof correctionEventSchema>;

export const feedbackEventSchema = z.discriminatedUnion('kind', [
  outcomeEventSchema,
  retentionEventSchema,
  correctionEventSchema,
]);
export type FeedbackEvent = z.infer<typeof feedbackEventSchema>;

/** Several events at once, as an outbox sends them: all are stored or none is. */
export const feedbackBatchSchema = z.looseObject({
  v: z.literal(CONTRACT_VERSION),
  events: z.array(feedbackEventSchema).min(1).max(1000),
});

/**
 * The flat body of trackers that follow RLinf's recipe. Only prompt, completion and accepted are needed; null in
 * another field is the same as leaving it out.
 */
export const flatFeedbackSchema = z.looseObject({
  prompt: z.string(),
  completion: z.string(),
  accepted: z.boolean(),
  completionId: optional(z.string()),
  uniqueId: optional(z.string()),
  filepath: optional(z.string()),
  prefix: optional(z.string()),
  suffix: optional(z.string()),
  modelProvider: optional(z.string()),
  modelName: optional(z.string()),
  timestamp: optional(z.union([z.string(), z.number()])),
  time: optional(z.number()),
  numLines: optional(z.number()),
  cacheHit: optional(z.boolean()),
  /** What stands there instead. */
  typed: optional(z.string()),
  /** Fraction of the accepted text that survived. */
  retained: optional(z.number().min(0).max(1)),
  project: optional(z.string()),
});
export type FlatFeedback = z.infer<typeof flatFeedbackSchema>;

export const submitResponseSchema = z.looseObject({
  status: z.literal('submitted'),
  message: z.string(),
  queue_position: z.int().nonnegative(),
  /**
   * One entry an event of a batch, in its order. A conflict contradicts an earlier event about the same completion:
   * it is not stored, and sending it again is of no use. Nothing is stored about a forgotten completion.
   */
  results: z
    .array(
      z.looseObject({
        id: z.string(),
        status: z.enum(['stored', 'duplicate', 'conflict', 'forgotten']),
        message: z.string().optional(),
      }),
    )
    .optional(),
});
export type SubmitResponse = z.infer<typeof submitResponseSchema>;

const runDecisionSchema = z.enum(['promoted', 'provisional', 'rejected', 'failed']);
export type RunDecision = z.infer<typeof runDecisionSchema>;

const runSummarySchema = z.looseObject({
  id: z.string(),
  events: z.int().nonnegative(),
  decision: runDecisionSchema,
  reason: z.string(),
  /** Version that the run made; null when it made none. */
  version: z.int().nullable(),
  /** Whose adapter it was to be. */
  workspaceKey: z.string().optional(),
  /** Seconds by phase: lower, reference, train, gate, swap. */
  seconds: z.record(z.string(), z.number()),
  figures: z.record(z.string(), z.number()),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

export const trainingStatusSchema = z.looseObject({
  v: z.literal(CONTRACT_VERSION),
  /** Durable events. */
  stored: z.int(),
  /** Eligible, not held out, not yet trained. */
  queued: z.int(),
  /** Waiting for a later fact: a correction, or two minutes' survival. */
  open: z.int().optional(),
  heldOut: z.int(),
  trained: z.int(),
  dropped: z.record(z.string(), z.int()),
  adapterVersion: z.int(),
  adapters: z.record(z.string(), z.looseObject({ version: z.int(), model: z.string() })),
  state: z.enum(['idle', 'waiting', 'training', 'gating', 'paused', 'error']),
  /** Updates are made only when they are asked for, until the user says otherwise. */
  pausedByUser: z.boolean().optional(),
  /** Why there is something to learn and nothing is learned: `battery`, or `memory`; a newer peer may know others. */
  pausedBecause: z.string().optional(),
  error: z.string().optional(),
  /** Of the update under way. */
  progress: z.looseObject({ phase: z.string(), done: z.int(), total: z.int() }).optional(),
  lastRun: runSummarySchema.nullable(),
  /** The newest of what was served: figures by tag, and what is wrong with it, a sentence each. */
  served: z
    .looseObject({
      figures: z.record(z.string(), z.number()),
      alarms: z.array(z.string()),
      /** Of whose adapter the figures are; the alarms are of all. */
      workspaceKey: z.string().optional(),
    })
    .optional(),
  /** The last version that live outcomes took out of service, since the companion was started. */
  rolledBack: z
    .looseObject({
      version: z.int(),
      target: z.int(),
      reason: z.string(),
      at: z.number(),
      workspaceKey: z.string().optional(),
    })
    .optional(),
});
export type TrainingStatus = z.infer<typeof trainingStatusSchema>;

/** `GET /api/training/runs?limit=N`: the newest updates of the model in service, newest first. */
export const trainingRunsSchema = z.looseObject({
  runs: z.array(
    runSummarySchema.extend({
      /** When it was decided, milliseconds since the epoch. */
      at: z.number(),
      /** Version that it began with. */
      parent: z.int(),
    }),
  ),
});
export type TrainingRuns = z.infer<typeof trainingRunsSchema>;

/** `POST /api/training/step`: settles what is open and trains now; answers when the update is decided. */
export const stepResponseSchema = z.looseObject({
  status: z.enum(['done', 'nothing_to_train', 'busy']),
  run: runSummarySchema.nullable(),
});
export type StepResponse = z.infer<typeof stepResponseSchema>;

const adapterSummarySchema = z.looseObject({
  version: z.int(),
  parent: z.int().nullable(),
  workspaceKey: z.string(),
  model: z.string(),
  createdAt: z.number(),
  status: z.enum(['base', 'promoted', 'provisional', 'rejected', 'rolledBack']),
  active: z.boolean(),
  scale: z.number(),
  figures: z.record(z.string(), z.number()),
  /** SHA-256 of the model file that it belongs to, hex. */
  modelHash: z.string().optional(),
  /** Its file has been deleted. */
  collected: z.boolean().optional(),
});
export type AdapterSummary = z.infer<typeof adapterSummarySchema>;

/** `POST /api/adapters/gc`: deletes the files of rejected and rolled-back versions; their figures stay. */
export const adapterCollectionSchema = z.looseObject({ versions: z.array(z.int()), bytes: z.number() });
export type AdapterCollection = z.infer<typeof adapterCollectionSchema>;

export const adapterListSchema = z.looseObject({
  active: z.int(),
  adapters: z.array(adapterSummarySchema),
});
export type AdapterList = z.infer<typeof adapterListSchema>;
