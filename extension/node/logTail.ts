import { open, stat } from 'node:fs/promises';
import { parseJson } from './json.ts';

const TAIL_BYTES = 8192;
const READ_BYTES_MAX = 256 * 1024;

/**
 * The last error that a log of JSON lines tells, or its last line, as one sentence; empty when there is none.
 *
 * @param since bytes of the log that an earlier process has written
 */
export async function tailOf(path: string, since = 0): Promise<string> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  const { text } = await readFrom(path, Math.max(since, size - TAIL_BYTES));
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const told = lines.map(plainLine);
  const errors = told.filter((line) => line.level === 'error');
  return (errors.at(-1) ?? told.at(-1))?.message ?? '';
}

/** The companion's line as the extension's log has it, where the time in front is that of the copy. */
export function companionLine({ message, at }: LogLine): string {
  return at === null ? `companion: ${message}` : `companion ${timeOfDay(new Date(at))}: ${message}`;
}

/** `09:05:01.007`, local as in the editor's own log. */
function timeOfDay(date: Date): string {
  const [hours, minutes, seconds] = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${hours}:${minutes}:${seconds}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** New lines of a growing log file. */
export class LogTail {
  readonly #path: string;
  #offset: number | undefined;
  #rest = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** Lines that were completed since the last call; the first call begins at the end of the file. */
  async read(): Promise<LogLine[]> {
    const { text, end } = await readFrom(this.#path, this.#offset ?? 0, this.#offset === undefined);
    this.#offset = end;
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '').map(plainLine);
  }
}

interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  /** When it was written, milliseconds since the epoch; null: the line doesn't tell. */
  at: number | null;
}

const PINO_WARN = 40;
const PINO_ERROR = 50;
const PINO_INFO = 30;

function plainLine(line: string): LogLine {
  // What ends the command line is no JSON: `hone: MESSAGE [code]`.
  const plain = {
    level: /^hone: .+ \[\w+\]$/.test(line) ? 'error' : 'info',
    message: line,
    at: null,
  } as const;
  const parsed = parseJson(line);
  if (typeof parsed !== 'object' || parsed === null) return plain;
  const { level, msg, time, err } = parsed as Record<string, unknown>;
  if (typeof msg !== 'string') return plain;
  const number = typeof level === 'number' ? level : PINO_INFO;
  const name =
    number >= PINO_ERROR ? 'error' : number >= PINO_WARN ? 'warn' : number >= PINO_INFO ? 'info' : 'debug';
  const cause = (err as { message?: unknown } | undefined)?.message;
  const message = typeof cause === 'string' && !msg.includes(cause) ? `${msg} ${cause}` : msg;
  return { level: name, message, at: typeof time === 'number' ? time : null };
}

/** Text from an offset. */
async function readFrom(
  path: string,
  offset: number,
  endOnly = false,
): Promise<{ text: string; end: number }> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return { text: '', end: 0 };
  try {
    const { size } = await file.stat();
    if (endOnly) return { text: '', end: size };
    // A smaller file is a new one.
    const start = offset > size ? 0 : offset;
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.min(size - start, READ_BYTES_MAX)),
      position: start,
    });
    return { text: buffer.toString('utf8', 0, bytesRead), end: start + bytesRead };
  } finally {
    await file.close();
  }
}
