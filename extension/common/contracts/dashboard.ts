import * as z from 'zod';
import { adapterListSchema, trainingRunsSchema, trainingStatusSchema } from './feedback.ts';

/** What a point of a chart stands for: a day of the last thirty or ninety, or so many shown suggestions. */
export const dashboardUnitSchema = z.enum(['30days', '90days', '50shown']);
export type DashboardUnit = z.infer<typeof dashboardUnitSchema>;

/** What happened from one time to another, counted. */
const bucketSchema = z.object({
  /** Milliseconds since the epoch; `to` is not part of it. */
  from: z.number(),
  to: z.number(),
  /** Completions with an outcome. */
  requests: z.int(),
  shown: z.int(),
  /** Taken or rejected; what was ignored is not judged. */
  judged: z.int(),
  /** Accepted, in whole or in part, or typed out. */
  taken: z.int(),
  silent: z.int(),
  suppressed: z.int(),
  /** Characters of suggestions that were taken, and those of them that were there when last looked at. */
  takenChars: z.number(),
  keptChars: z.number(),
  /** Characters written by hand or taken; 0: none, or not counted yet at that time. */
  writtenChars: z.int(),
  /** Milliseconds from request to answer; null: none. */
  latency: z.object({ p50: z.number(), p95: z.number() }).nullable(),
});
export type Bucket = z.infer<typeof bucketSchema>;

const suggestionSchema = z.object({
  id: z.string(),
  at: z.number(),
  relativePath: z.string(),
  language: z.string(),
  /** As displayed, cut to what fits into a row; empty: nothing was shown. */
  shownText: z.string(),
  adapterVersion: z.int(),
  latencyMs: z.number(),
  /** Null: not settled yet. */
  outcome: z
    .looseObject({ kind: z.string(), chars: z.int().optional(), how: z.string().optional() })
    .nullable(),
  shownChars: z.int(),
  /** Fraction of what was taken that was there when last looked at; null: not known. */
  kept: z.number().nullable(),
  /** What was typed instead, cut like `shownText`; null: nothing, or it can't be told. */
  typed: z.string().nullable(),
});
export type Suggestion = z.infer<typeof suggestionSchema>;

/** Figures of this installation's own store. */
const storeFiguresSchema = z.object({
  buckets: z.array(bucketSchema),
  /** When another adapter version began to serve, oldest first. */
  versionChanges: z.array(z.object({ at: z.number(), version: z.int() })),
  /** Newest first. */
  suggestions: z.array(suggestionSchema),
  counts: z.object({
    completions: z.int(),
    events: z.int(),
    pending: z.int(),
    refused: z.int(),
    /** Outcome kind to count. */
    outcomes: z.record(z.string(), z.int()),
  }),
  /** Of the oldest thing stored; null: nothing is. */
  since: z.number().nullable(),
  /** Of the database file. */
  bytes: z.number(),
});
export type StoreFigures = z.infer<typeof storeFiguresSchema>;

const dashboardDataSchema = z.object({
  /** When it was read, milliseconds since the epoch. */
  at: z.number(),
  unit: dashboardUnitSchema,
  state: z.string(),
  error: z.string().nullable(),
  completions: z.boolean(),
  tracking: z.boolean(),
  trusted: z.boolean(),
  model: z.string().nullable(),
  /** Of the companion's completions. */
  address: z.string().nullable(),
  /** The other machine that serves, or is to; null: this one. */
  remote: z.object({ host: z.string(), warning: z.string().nullable() }).nullable(),
  /** Folder of everything that is written. */
  storage: z.string(),
  /** Days after which what was recorded is deleted. */
  keepDays: z.int(),
  /** Null: it can't be read. */
  store: storeFiguresSchema.nullable(),
  /** Of the companion; null before its first answer. */
  training: trainingStatusSchema.nullable(),
  runs: trainingRunsSchema.shape.runs,
  adapters: adapterListSchema.nullable(),
});
export type DashboardData = z.infer<typeof dashboardDataSchema>;

export const DASHBOARD_TABS = ['overview', 'suggestions', 'learning', 'adapters', 'privacy'] as const;
export type DashboardTab = (typeof DASHBOARD_TABS)[number];

/** From the extension to the dashboard. */
export const toDashboardSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('data'), data: dashboardDataSchema }),
  z.object({ type: z.literal('show'), tab: z.enum(DASHBOARD_TABS) }),
  /** What was asked for has ended, well or not; the editor has told which. */
  z.object({ type: z.literal('settled'), action: z.string() }),
]);
export type ToDashboard = z.infer<typeof toDashboardSchema>;

/** From the dashboard to the extension. */
export const fromDashboardSchema = z.discriminatedUnion('type', [
  /** It listens. */
  z.object({ type: z.literal('ready') }),
  /** The first data is on the screen. */
  z.object({ type: z.literal('painted') }),
  z.object({ type: z.literal('choose'), unit: dashboardUnitSchema }),
  z.object({ type: z.literal('activate'), version: z.int().nonnegative() }),
  z.object({ type: z.literal('rollBack') }),
  z.object({ type: z.literal('trainNow') }),
  z.object({ type: z.literal('pauseLearning') }),
  z.object({ type: z.literal('resumeLearning') }),
  z.object({ type: z.literal('setTracking'), on: z.boolean() }),
  /** Deletes all that is recorded of a suggestion, and what was learned from it; asks first. */
  z.object({ type: z.literal('forget'), id: z.string() }),
  z.object({ type: z.literal('exportData') }),
  z.object({ type: z.literal('deleteData') }),
  /** Shows what is recorded, and why. */
  z.object({ type: z.literal('showRecordList') }),
]);
export type FromDashboard = z.infer<typeof fromDashboardSchema>;
