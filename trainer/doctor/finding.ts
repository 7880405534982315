/** One thing that was looked at. */
export interface Finding {
  /** Name for machines: model, ggml, gpu, dataFolder … */
  check: string;
  status: 'ok' | 'warning' | 'problem';
  /** What was found, in sentences. */
  text: string;
  /** What to do about it; absent where there is nothing to do, or the text says it. */
  remedy?: string;
}

export function ok(check: string, text: string): Finding {
  return { check, status: 'ok', text };
}

export function warning(check: string, text: string, remedy: string): Finding {
  return { check, status: 'warning', text, remedy };
}

export function problem(check: string, text: string, remedy: string): Finding {
  return { check, status: 'problem', text, remedy };
}

/** A coded error: its message says what is wrong and what to do. */
export function problemOf(check: string, error: { message: string }): Finding {
  return { check, status: 'problem', text: error.message };
}
