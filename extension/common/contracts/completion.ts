import * as z from 'zod';

/**
 * `POST /v1/completions`: the OpenAI text-completion body, and what Hone adds to it. With `prompt` alone the
 * model's own markers in the text are special tokens; with `suffix` (even an empty one) everything is plain
 * text and the server puts the markers.
 */
export const completionRequestSchema = z.looseObject({
  prompt: z.string(),
  suffix: z.string().optional(),
  model: z.string().optional(),
  max_tokens: z.int().min(1).max(4096).optional(),
  temperature: z.number().min(0).max(5).optional(),
  top_p: z.number().gt(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  repetition_penalty: z.number().gt(0).max(2).optional(),
  stop: z
    .union([z.string(), z.array(z.string()).max(16)])
    .nullish()
    .transform((stop) =>
      stop === null || stop === undefined ? [] : typeof stop === 'string' ? [stop] : stop,
    ),
  seed: z.int().optional(),
  /** How many log-probabilities a token to return; null or absent: none. */
  logprobs: z.union([z.boolean(), z.int().min(0).max(5)]).nullish(),
  stream: z.boolean().optional(),
  /** Hone: workspace key; the header `X-Project-ID` stands in for it. */
  workspace: z.string().optional(),
  /** Hone: path shown to the model before the prefix, relative to the workspace. */
  path: z.string().optional(),
  language: z.string().optional(),
  /** Hone: false means that nothing of this request is written anywhere. */
  record: z.boolean().optional(),
  /** Hone: version of the document and UTF-16 offset of the caret with LF line ends, stored with the record. */
  document_version: z.int().nonnegative().optional(),
  offset: z.int().nonnegative().optional(),
  session: z.string().optional(),
});
export type CompletionRequest = z.infer<typeof completionRequestSchema>;
/** The body as a client writes it, before defaults are filled in. */
export type CompletionRequestInput = z.input<typeof completionRequestSchema>;

export const finishReasonSchema = z.enum(['stop', 'length', 'cancelled']);

export const completionResponseSchema = z.looseObject({
  /** The completion id: a UUIDv7. */
  id: z.string(),
  object: z.literal('text_completion'),
  created: z.int(),
  model: z.string(),
  adapter_version: z.int(),
  choices: z
    .array(
      z.looseObject({
        index: z.int(),
        text: z.string(),
        finish_reason: finishReasonSchema.nullable(),
        logprobs: z
          .looseObject({
            tokens: z.array(z.string()),
            token_logprobs: z.array(z.number()),
            text_offset: z.array(z.int()),
          })
          .nullable(),
      }),
    )
    .min(1),
  usage: z.looseObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
  }),
  /** False when the model has no FIM markers and the suffix was left out. */
  suffix_used: z.boolean().optional(),
  /** True when a FIM prompt of another family was rendered anew in the model's own markers and order. */
  rerendered: z.boolean().optional(),
  /** Number of tokens cut from the left of the prompt because it did not fit the context. */
  truncated_tokens: z.int().optional(),
  /** Milliseconds. */
  timings: z.looseObject({
    queue: z.number(),
    prompt: z.number(),
    first_token: z.number(),
    total: z.number(),
    cached_tokens: z.int(),
  }),
});
export type CompletionResponse = z.infer<typeof completionResponseSchema>;

/** Body of every error answer, OpenAI-style. `code` is one of the coded errors in docs/errors.md. */
export const errorResponseSchema = z.looseObject({
  error: z.looseObject({
    message: z.string(),
    type: z.string(),
    code: z.string(),
    param: z.string().nullable(),
  }),
});
export type ErrorResponse = z.infer<typeof errorResponseSchema>;

/** One line of JSON that `hone serve` prints on standard output when both services listen. */
export const serveReadySchema = z.looseObject({
  inference: z.string(),
  feedback: z.string(),
  token: z.string(),
  feedbackToken: z.string().optional(),
  model: z.string(),
  adapterVersion: z.int(),
  pid: z.int(),
});
export type ServeReady = z.infer<typeof serveReadySchema>;

export const healthSchema = z.looseObject({
  status: z.enum(['ok', 'loading', 'error']),
  service: z.enum(['inference', 'feedback']),
  model: z.string(),
  adapterVersion: z.int(),
  fim: z.boolean(),
  contextTokens: z.int(),
  error: z.string().optional(),
});
export type Health = z.infer<typeof healthSchema>;
