import * as z from 'zod';
import { honeFields, optional } from './requestFields.ts';

const textOrEmpty = optional(z.string()).transform((text = '') => text);

/**
 * `POST /infill`: llama-server's body. Everything is plain text; the server puts the markers. Null in an optional
 * field is the same as leaving it out.
 */
export const infillRequestSchema = z.looseObject({
  input_prefix: textOrEmpty,
  input_suffix: textOrEmpty,
  /** Other files, shown before the document. */
  input_extra: optional(z.array(z.looseObject({ filename: textOrEmpty, text: z.string() }))).transform(
    (files = []) => files,
  ),
  /** Text right before the caret, after `input_prefix`. */
  prompt: textOrEmpty,
  /** −1: the server's default. 0: the prompt is read into the cache, and nothing is generated. */
  n_predict: optional(z.int().min(-1)),
  /** Above 1 the answer is a list of that many completions. */
  n_cmpl: optional(z.int().min(1).max(4)).transform((count = 1) => count),
  /** Columns by which every line but the first is indented at least; the text ends before one that isn't. */
  n_indent: optional(z.int().min(0)),
  /** Milliseconds after the first token after which the text ends with the line under way; 0 or less: none. */
  t_max_predict_ms: optional(z.number()),
  temperature: optional(z.number().min(0).max(5)),
  top_p: optional(z.number().gt(0).max(1)),
  top_k: optional(z.int().min(0)),
  repeat_penalty: optional(z.number().gt(0).max(2)),
  stop: optional(z.array(z.string()).max(64)).transform((stop = []) => stop),
  /** −1: a random one. */
  seed: optional(z.int()),
  stream: optional(z.boolean()),
  /** Fields of the answer that are wanted, by path (`timings/prompt_n`); none: all. */
  response_fields: optional(z.array(z.string()).max(64)).transform((fields = []) => fields),
  ...honeFields,
});
export type InfillRequest = z.infer<typeof infillRequestSchema>;

/** The whole answer, or the last line of a streamed one. */
export const infillResponseSchema = z.looseObject({
  content: z.string(),
  stop: z.literal(true),
  stop_type: z.enum(['eos', 'limit', 'word', 'none']),
  stopping_word: z.string(),
  model: z.string(),
  tokens_predicted: z.int(),
  tokens_evaluated: z.int(),
  tokens_cached: z.int(),
  truncated: z.boolean(),
  timings: z.looseObject({
    prompt_n: z.int(),
    prompt_ms: z.number(),
    predicted_n: z.int(),
    predicted_ms: z.number(),
  }),
  /** Hone: the completion id. */
  id: z.string(),
  adapter_version: z.int(),
  suffix_used: z.boolean(),
  /** True when secrets were found in the prompt: the model was shown placeholders of the same shape. */
  secrets_masked: z.boolean().optional(),
  truncated_tokens: z.int().optional(),
});
export type InfillResponse = z.infer<typeof infillResponseSchema>;

/** `GET /lora-adapters`: the versions that can be served; a scale above 0 is in service. */
export const loraListSchema = z.array(
  z.looseObject({ id: z.int().nonnegative(), path: z.string(), scale: z.number() }),
);
export type LoraList = z.infer<typeof loraListSchema>;

/** `POST /lora-adapters`: scales by id (the adapter version); versions that are not named get 0. */
export const loraScalesSchema = z.array(
  z.looseObject({ id: z.int().nonnegative(), scale: z.number().min(0).max(4) }),
);
export type LoraScales = z.infer<typeof loraScalesSchema>;
