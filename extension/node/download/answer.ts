import type { Dispatcher } from 'undici';
import { DownloadError } from './downloadError.ts';

/** What a server says about a file, and the file from some byte on. */
export interface Answer {
  /** First byte of the body; 0 also when a later one was asked for and the server begins anew. */
  start: number;
  /** Size of the whole file; null: the server doesn't tell. */
  total: number | null;
  /** Strong entity tag of the file, for `If-Range`; null: none. */
  etag: string | null;
  /** SHA-256 that the server publishes for the file, hex; null: none. */
  published: string | null;
  /** Null: the server has nothing from that byte on (416). */
  body: AsyncIterable<Uint8Array> | null;
  /** Lets go of the connection. */
  close: () => void;
}

interface Ask {
  url: string;
  /** First byte that is wanted. */
  from: number;
  /** The tag that the bytes at hand have. */
  etag: string | null;
  connections: Dispatcher;
  signal: AbortSignal;
}

type Response = Dispatcher.ResponseData;
type Headers = Response['headers'];

const REDIRECTS_MAX = 8;
/** A hub names the file's SHA-256 so, in the redirect to where the bytes lie. */
const PUBLISHED_HEADERS = ['x-linked-etag', 'x-checksum-sha256'];
const SHA256 = /^[0-9a-f]{64}$/;

/**
 * Asks for a file from a byte on, and follows redirects.
 *
 * @throws DownloadError `not_found`, `refused`, `not_the_file` (a page), `unreachable`
 */
export async function ask({ url, from, etag, connections, signal }: Ask): Promise<Answer> {
  let published: string | null = null;
  let at = new URL(url);
  for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
    const response = await requestOnce(at, { from, etag, connections, signal });
    published ??= publishedIn(response.headers);
    const target = redirectOf(response, at);
    if (target === null) return answerOf(response, at, from, published);
    response.body.on('error', () => {}).destroy();
    at = target;
  }
  throw new DownloadError('refused', `${at.host} redirects in a circle. Try again later, or set a mirror.`);
}

async function requestOnce(
  at: URL,
  { from, etag, connections, signal }: Omit<Ask, 'url'>,
): Promise<Response> {
  try {
    const { request } = await import('undici');
    return await request(at, {
      dispatcher: connections,
      signal,
      headers: {
        'user-agent': 'hone',
        // A compressed answer would have other bytes than its ranges name.
        'accept-encoding': 'identity',
        ...(from > 0 ? { range: `bytes=${from}-` } : {}),
        ...(from > 0 && etag !== null ? { 'if-range': etag } : {}),
      },
    });
  } catch (error) {
    if (signal.aborted) throw error;
    const why = error instanceof Error ? reasonOf(error) : String(error);
    throw new DownloadError(
      'unreachable',
      `${at.host} can't be reached: ${why}. Check the connection, the proxy settings (http.proxy) or the mirror.`,
      error,
    );
  }
}

/** Several addresses that all fail make one error without words of its own. */
function reasonOf(error: Error): string {
  const inner = error instanceof AggregateError ? (error.errors[0] as Error) : error;
  const { cause } = inner;
  return inner.message || (cause instanceof Error ? cause.message : '') || inner.name;
}

function redirectOf({ statusCode, headers }: Response, at: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return null;
  const location = first(headers.location);
  if (location === null)
    throw new DownloadError('refused', `${at.host} redirects to nowhere. Try again later, or set a mirror.`);
  const target = new URL(location, at);
  if (target.protocol !== at.protocol && target.protocol !== 'https:')
    throw new DownloadError('refused', `${at.host} redirects to ${target.protocol} without encryption.`);
  return target;
}

function answerOf(response: Response, at: URL, from: number, published: string | null): Answer {
  const { statusCode, headers, body } = response;
  const close = () => body.on('error', () => {}).destroy();
  const range = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(first(headers['content-range']) ?? '');
  const told = range?.[2] === undefined || range[2] === '*' ? null : Number(range[2]);
  const etag = strongTag(first(headers.etag));
  if (statusCode === 416) {
    close();
    return { start: from, total: told, etag, published, body: null, close };
  }
  if (statusCode !== 200 && statusCode !== 206) {
    close();
    throw refusal(statusCode, at);
  }
  if ((first(headers['content-type']) ?? '').startsWith('text/html')) {
    close();
    throw new DownloadError(
      'not_the_file',
      `${at.host} answers with a web page in the place of the file: a sign-in of the network, or a mirror without it. Open ${at.origin} in a browser, or change hone.models.mirror.`,
    );
  }
  const length = Number(first(headers['content-length']) ?? NaN);
  const start = statusCode === 206 && range?.[1] !== undefined ? Number(range[1]) : 0;
  const whole = Number.isFinite(length) ? start + length : null;
  return { start, total: told ?? whole, etag, published, body, close };
}

function refusal(status: number, { host, pathname }: URL): DownloadError {
  if (status === 404 || status === 410)
    return new DownloadError(
      'not_found',
      `${host} doesn't have ${pathname} (${status}). Choose another model, or change hone.models.mirror.`,
    );
  if (status === 429 || status >= 500)
    return new DownloadError('unreachable', `${host} answers ${status}. Try again in a while.`);
  return new DownloadError(
    'refused',
    `${host} refuses ${pathname} (${status}). Choose another model or mirror, or fetch the file by hand.`,
  );
}

function publishedIn(headers: Headers): string | null {
  const values = PUBLISHED_HEADERS.map((name) => first(headers[name])?.replaceAll('"', '').toLowerCase());
  return values.find((value) => value !== undefined && SHA256.test(value)) ?? null;
}

function strongTag(tag: string | null): string | null {
  return tag === null || tag.startsWith('W/') ? null : tag;
}

function first(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
