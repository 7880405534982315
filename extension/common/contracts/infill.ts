import * as z from 'zod';

/** `POST /infill`: llama-server's body. Everything is plain text; the server puts the markers. */
export const infillRequestSchema = z.looseObject({
  input_prefix: z.string().default(''),
  input_suffix: z.string().default(''),
  /** Other files, shown before the document. */
  input_extra: z.array(z.looseObject({ filename: z.string().default(''), text: z.string() })).default([]),
  /** Text right before the caret, after `input_prefix`. */
  prompt: z.string().default(''),
  /** −1: the server's default. */
  n_predict: z.int().min(-1).max(4096).optional(),
  temperature: z.number().min(0).max(5).optional(),
  top_p: z.number().gt(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  repeat_penalty: z.number().gt(0).max(2).optional(),
  stop: z.array(z.string()).max(16).default([]),
  /** −1: a random one. */
  seed: z.int().optional(),
  stream: z.boolean().optional(),
  /** Hone's own fields, as in a completion request. */
  workspace: z.string().optional(),
  path: z.string().optional(),
  language: z.string().optional(),
  record: z.boolean().optional(),
  document_version: z.int().nonnegative().optional(),
  offset: z.int().nonnegative().optional(),
  session: z.string().optional(),
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
