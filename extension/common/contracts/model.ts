import * as z from 'zod';

/** What `hone inspect --json` says of a model file that can be served. */
export const modelReportSchema = z.looseObject({
  v: z.literal(1),
  path: z.string(),
  name: z.string(),
  architecture: z.string(),
  bytes: z.number(),
  /** Tokens that the model was trained on. */
  contextTokens: z.int(),
  /** Null: it has no fill-in-the-middle markers, and is shown the text before the caret alone. */
  fim: z.looseObject({ family: z.string(), order: z.string() }).nullable(),
  /** Why nothing can be learned with it; null: it can. */
  untrainable: z.string().nullable(),
  /** Bytes, with the context that the companion opens. */
  memory: z.looseObject({ serving: z.number(), learning: z.number() }),
});
export type ModelReport = z.infer<typeof modelReportSchema>;
