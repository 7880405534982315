/** The companion's log: lines of JSON on standard error; standard output belongs to what a command answers. */
import pino, { type Logger } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type { Logger };

const STANDARD_ERROR = 2;

/** A logger that has written a line when the call returns: the last words of a process that ends are there. */
export function createLogger(level: LogLevel): Logger {
  return pino({ level, base: undefined }, pino.destination({ dest: STANDARD_ERROR, sync: true }));
}
