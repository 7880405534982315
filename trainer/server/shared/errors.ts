/**
 * Every error that the companion says to a person or a program has a code. The codes, their HTTP status and what to
 * do about them are listed in docs/errors.md; a test holds the two together.
 */

/** HTTP status of each code; for codes that end a command, the status they would have in an answer. */
export const ERROR_STATUS = {
  invalid_request: 400,
  invalid_json: 400,
  unauthorized: 401,
  foreign_host: 403,
  foreign_origin: 403,
  not_found: 404,
  unknown_adapter: 404,
  unknown_completion: 404,
  outcome_conflict: 409,
  overtaken: 409,
  adapter_other_model: 409,
  adapter_other_workspace: 409,
  nothing_to_roll_back: 409,
  adapter_gone: 410,
  body_too_large: 413,
  unsupported_media_type: 415,
  internal: 500,
  unreachable: 502,
  refused: 502,
  not_hone: 502,
  generation_failed: 500,
  loading: 503,
  queue_full: 503,
  storage_full: 503,
  data_busy: 503,
  model_missing: 500,
  model_corrupt: 500,
  model_unsupported: 500,
  memory_limit: 500,
  fim_template_unfit: 500,
  gpu_unavailable: 500,
  llama_unavailable: 500,
  adapter_missing: 500,
  adapter_mismatch: 500,
  port_in_use: 500,
  address_unavailable: 500,
  token_required: 500,
  config_invalid: 500,
  data_dir_unusable: 500,
  data_dir_in_use: 500,
  export_folder_unusable: 500,
  learner_failed: 500,
  dataset_invalid: 500,
  data_leaks: 500,
  output_dir_taken: 500,
  judge_refused: 502,
  verdicts_lost: 502,
} as const;

type ErrorCode = keyof typeof ERROR_STATUS;

/** An error with a code, a sentence on what is wrong, and what to do. */
export class HoneError extends Error {
  readonly code: ErrorCode;
  /** Field of the request, or option of the command line, that is at fault. */
  readonly param: string | null;

  constructor(code: ErrorCode, message: string, details: { param?: string; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'HoneError';
    this.code = code;
    this.param = details.param ?? null;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** Body of an error answer, in OpenAI's shape. */
export function errorBody(error: HoneError): {
  error: { message: string; type: string; code: string; param: string | null };
} {
  const type = errorType(error.status);
  return { error: { message: error.message, type, code: error.code, param: error.param } };
}

function errorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 503) return 'unavailable_error';
  if (status >= 500) return 'server_error';
  return 'invalid_request_error';
}
