import * as z from 'zod';

/** What the user did with a completion. Exactly one per completion id. */
export const outcomeSchema = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('accepted') }),
  /** `chars`: UTF-16 units taken from the start of the shown text. */
  z.looseObject({ kind: z.literal('partiallyAccepted'), chars: z.int().positive() }),
  z.looseObject({ kind: z.literal('typedThrough'), chars: z.int().positive() }),
  z.looseObject({ kind: z.literal('rejected'), how: z.enum(['escape', 'typedAgainst', 'movedAway']) }),
  z.looseObject({
    kind: z.literal('ignored'),
    supersededBy: z.string().optional(),
    shownMs: z.number().nonnegative(),
  }),
  /** Generated, never shown, because a filter hid it. */
  z.looseObject({ kind: z.literal('suppressed'), by: z.string() }),
  /** The model chose an empty completion. */
  z.looseObject({ kind: z.literal('silent') }),
]);
export type Outcome = z.infer<typeof outcomeSchema>;

/** What the display filter decided about a suggestion; absent where it is off. */
export const displayDecisionSchema = z.looseObject({
  shown: z.boolean(),
  /** Predicted chance of acceptance, and the least that is shown. */
  chance: z.number(),
  threshold: z.number(),
  /** Shown though it is below the threshold, to find out where the filter errs. */
  explored: z.boolean(),
  /** Probability with which this was decided. */
  propensity: z.number(),
});
export type DisplayDecision = z.infer<typeof displayDecisionSchema>;

/**
 * How the display of a suggestion is known, strongest first: the editor's own event, our own accept or
 * Escape command, an observation through the stable API, anything weaker.
 */
export const evidenceSchema = z.enum(['event', 'command', 'observed', 'inferred']);
export type Evidence = z.infer<typeof evidenceSchema>;
