/** The part of the editor's log channel that is used; one message, one line. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

const LINES_MAX = 40;
const LINE_CHARS_MAX = 400;

/** A log that keeps its last lines for an issue report: the editor's own file may be on another machine, or none. */
export class KeptLog implements Log {
  readonly #log: Log;
  readonly #lines: string[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** The oldest first, with time and level; none of level debug. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  debug(message: string): void {
    this.#log.debug(message);
  }

  info(message: string): void {
    this.#log.info(message);
    this.#keep('info', message);
  }

  warn(message: string): void {
    this.#log.warn(message);
    this.#keep('warning', message);
  }

  error(message: string): void {
    this.#log.error(message);
    this.#keep('error', message);
  }

  #keep(level: string, message: string): void {
    const line = message.split('\n', 1)[0]!.slice(0, LINE_CHARS_MAX);
    this.#lines.push(`${new Date().toISOString()} [${level}] ${line}`);
    if (this.#lines.length > LINES_MAX) this.#lines.shift();
  }
}
