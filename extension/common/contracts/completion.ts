import * as z from 'zod';
import { honeFields, optional } from './requestFields.ts';

/**
 * `POST /v1/completions`: the OpenAI text-completion body, and what Hone adds to it. With `prompt` alone the
 * model's own markers in the text are special tokens; with `suffix` (even an empty one) everything is plain
 * text and the server puts the markers. Null in an optional field is the same as leaving it out.
 */
export const completionRequestSchema = z.looseObject({
  prompt: z.string(),
  suffix: optional(z.string()),
  /** With `suffix`: pieces of other files, shown before the document in the model's own way, in this order. */
  files: optional(z.array(z.looseObject({ path: z.string(), text: z.string() })).max(32)),
  model: optional(z.string()),
  /**
   * More than half of the context is cut to that. 0: the prompt is read into the cache for the request that comes
   * next, and nothing is written; a keystroke's request ends it (`overtaken`), and what was read by then stays.
   */
  max_tokens: optional(z.int().min(0)),
  temperature: optional(z.number().min(0).max(5)),
  top_p: optional(z.number().gt(0).max(1)),
  top_k: optional(z.int().min(0)),
  repetition_penalty: optional(z.number().gt(0).max(2)),
  stop: optional(z.union([z.string(), z.array(z.string()).max(64)])).transform((stop = []) =>
    typeof stop === 'string' ? [stop] : stop,
  ),
  seed: optional(z.int()),
  /** OpenAI's fields that would change the answer and are not served. */
  n: optional(z.int().min(1).max(1, 'one completion is made a request; ask again for another')),
  best_of: optional(z.int().min(1).max(1, 'one completion is made a request')),
  echo: optional(z.literal(false, 'the answer holds the completion alone')),
  /** How many log-probabilities a token to return; absent: none. */
  logprobs: optional(z.union([z.boolean(), z.int().min(0).max(5)])),
  stream: optional(z.boolean()),
  /**
   * True: what would follow a suggestion that is on display, asked for as if it was accepted. A keystroke's request
   * ends it (`overtaken`), and nothing of it is written unless it is shown (`shownRequestSchema`).
   */
  look_ahead: optional(z.boolean()),
  ...honeFields,
});
export type CompletionRequest = z.infer<typeof completionRequestSchema>;
type Wire = z.input<typeof completionRequestSchema>;
/** The body as Hone's own clients write it, before defaults are filled in: what they don't set they leave out. */
export type CompletionRequestInput = { [Field in keyof Wire]: Exclude<Wire[Field], null> };

const finishReasonSchema = z.enum(['stop', 'length', 'cancelled']);

export const completionResponseSchema = z.looseObject({
  /** The completion id: a UUIDv7. */
  id: z.string(),
  object: z.literal('text_completion'),
  created: z.int(),
  model: z.string(),
  adapter_version: z.int(),
  /** λ at which the adapter served. */
  adapter_scale: z.number().optional(),
  /** SHA-256 of the model file, hex. */
  model_hash: z.string().optional(),
  /** Family and order of the fill-in-the-middle template; `none`: asked without. */
  fim_template: z.string().optional(),
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
  /** True when secrets were found in the prompt: the model was shown placeholders of the same shape. */
  secrets_masked: z.boolean().optional(),
  /** Number of tokens cut from the left of the prompt because it did not fit the context. */
  truncated_tokens: z.int().optional(),
  /** How sure the model is, at temperature 1 whatever the sampling temperature. */
  confidence: z
    .looseObject({
      /** Of each generated token, the ending one included, nats. */
      token_logprobs: z.array(z.number()),
      /** Where the text of each ends, UTF-16 units; beyond the answer's text where a stop string cut it. */
      token_ends: z.array(z.int()),
      /** Over the tokens of the answer's text. */
      mean_logprob: z.number(),
      min_logprob: z.number(),
      first_probability: z.number(),
    })
    .optional(),
  /**
   * Predicted chance that the suggestion will be taken, 0..1: before anything was generated and, where the text isn't
   * empty, with what was generated. A client that filters shows what reaches the threshold.
   */
  acceptance: z
    .looseObject({ before: z.number(), after: z.number().optional(), threshold: z.number() })
    .optional(),
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

/** `POST /v1/completions/shown`: a completion that was asked for ahead is about to be shown, and is recorded. */
export const shownRequestSchema = z.looseObject({
  id: z.uuid(),
  /** Of the document in which it is shown. */
  document_version: z.int().nonnegative(),
});
export type ShownRequest = z.infer<typeof shownRequestSchema>;

/** A completion that isn't kept (any more) is a 404 `unknown_completion`: it must not be shown as a recorded one. */
export const shownResponseSchema = z.looseObject({ status: z.literal('recorded'), id: z.string() });
export type ShownResponse = z.infer<typeof shownResponseSchema>;

/** `GET /v1/models`: the one that serves. */
export const modelListSchema = z.looseObject({
  object: z.literal('list'),
  data: z.array(z.looseObject({ id: z.string() })).min(1),
});

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
  /** Why `fim` is false: the model has no markers, or the user set it so. */
  prefixOnly: z.enum(['noMarkers', 'setting']).optional(),
  /** Family and order of the template in use. */
  fimTemplate: z.string().optional(),
  /** SHA-256 of the model file, hex. */
  modelHash: z.string().optional(),
  contextTokens: z.int(),
  /** What is computed on. */
  device: z.enum(['cpu', 'cuda', 'vulkan', 'metal']).optional(),
  /** Memory of the graphics card that is computed on. */
  gpuMemoryBytes: z.number().optional(),
  /**
   * Code of the error because of which another model than the one that was asked for serves: the embedded one. No
   * more is said here, where no token is wanted.
   */
  fellBack: z.string().optional(),
  error: z.string().optional(),
});
export type Health = z.infer<typeof healthSchema>;
