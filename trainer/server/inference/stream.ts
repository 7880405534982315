/** Server-sent events, and a signal that fires when the client goes away. */
import type { FastifyReply } from 'fastify';
import { safeLength } from '../../inference/text.ts';
import type { GeneratedToken } from '../../inference/types.ts';
import { errorBody, HoneError } from '../shared/errors.ts';
import type { Answer } from './answer.ts';

/** Aborts when the connection closes before the answer is complete. */
export function abortOnClose(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Lines `data: …`. The head goes out with the first line, so that an error before it is still a plain answer. */
export class EventStream {
  private readonly reply: FastifyReply;
  private opened = false;

  constructor(reply: FastifyReply) {
    this.reply = reply;
  }

  send(data: object | '[DONE]'): void {
    if (!this.opened) this.open();
    this.reply.raw.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }

  end(): void {
    if (!this.opened) this.reply.hijack();
    this.reply.raw.end();
  }

  get isOpen(): boolean {
    return this.opened;
  }

  private open(): void {
    this.opened = true;
    this.reply.hijack();
    this.reply.raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      connection: 'keep-alive',
    });
  }
}

/**
 * What `generate` gives, or null when the answer is over: the client went away, or an error came after the head was
 * out and has been sent as the last event. An earlier error is thrown.
 */
export async function whileStreaming(
  stream: EventStream,
  generate: () => Promise<Answer>,
): Promise<Answer | null> {
  try {
    const answer = await generate();
    if (answer.result.finishReason !== 'cancelled') return answer;
  } catch (error) {
    if (!stream.isOpen) throw error;
    const coded =
      error instanceof HoneError ? error : new HoneError('internal', `Unexpected error: ${String(error)}`);
    stream.send(errorBody(coded));
  }
  stream.end();
  return null;
}

/** Text as it may be shown while generating: what could still turn out to begin a stop string is held back. */
export class StreamedText {
  private readonly stops: string[];
  private text = '';
  private sent = 0;

  constructor(stops: string[]) {
    this.stops = stops;
  }

  /** What can be sent now that the token is there. */
  push(token: GeneratedToken): string {
    this.text += token.text;
    const stop = Math.min(...this.stops.map((stop) => this.text.indexOf(stop)).filter((at) => at >= 0));
    return this.upTo(Math.min(stop, safeLength(this.text, this.stops)));
  }

  /** What is still to be sent of the whole text. */
  rest(whole: string): string {
    return whole.slice(this.sent);
  }

  private upTo(end: number): string {
    const piece = this.text.slice(this.sent, Math.max(this.sent, end));
    this.sent += piece.length;
    return piece;
  }
}
