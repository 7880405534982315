/**
 * Who may talk to a service: the holder of the token, from a program and not from a web page. A page in the user's
 * browser could reach a loopback port by DNS rebinding (foreign Host) or by a cross-origin request (foreign Origin).
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { isLoopback } from '../../../extension/common/loopback.ts';
import { HoneError } from './errors.ts';

/** Value of `--token` that switches tokens off. */
export const NO_TOKEN = 'none';

const TOKEN_BYTES = 24;
/** Printable ASCII: of other characters each client makes other bytes in a header, or none. */
const CARRIED_TOKEN = /^[!-~]([ -~]*[!-~])?$/;

interface AccessHeaders {
  authorization?: string;
  host?: string;
  origin?: string;
}

/** What it means that other machines can reach an address; null: they can't. */
export function exposureOf(host: string): string | null {
  if (isLoopback(host)) return null;
  return `Listening on ${host}: every machine that reaches this one can use the services if it has the token, and what is sent, code and token, can be read on the way. Put a proxy with TLS in front of 127.0.0.1 instead, or use an SSH tunnel.`;
}

/** A random bearer token of 32 characters. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Refuses `--token none` on an address that other machines can reach, and a token that no request could carry. */
export function checkTokenPolicy(token: string, host: string): void {
  if (!CARRIED_TOKEN.test(token))
    throw new HoneError(
      'token_required',
      'The token is empty, begins or ends with a space, or has other characters than ASCII, so no request could carry it. Give --token another value, or leave it out for a new one.',
      { param: '--token' },
    );
  if (token !== NO_TOKEN || isLoopback(host)) return;
  throw new HoneError(
    'token_required',
    `Without a token the service may only listen on a loopback address, not on ${host}. Give --token a value or leave --host at 127.0.0.1.`,
    { param: '--token' },
  );
}

/** Throws `unauthorized` unless the bearer token is the service's own. */
export function checkToken(headers: AccessHeaders, token: string): void {
  if (token === NO_TOKEN) return;
  const given = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1];
  if (given !== undefined && timingSafeEqual(digest(given.trim()), digest(token))) return;
  throw new HoneError(
    'unauthorized',
    'Missing or wrong bearer token. Send "Authorization: Bearer TOKEN" with the token that `hone serve` printed.',
  );
}

/** Throws unless the request was addressed to this machine and does not come from a web page of another origin. */
export function checkHostAndOrigin(headers: AccessHeaders, listenHost: string): void {
  const name = hostName(headers.host ?? '');
  if (!isAllowedHost(name, listenHost)) {
    throw new HoneError(
      'foreign_host',
      `Host "${headers.host ?? ''}" is not this service. Address it as 127.0.0.1 or localhost.`,
      { param: 'host' },
    );
  }
  if (headers.origin === undefined || headers.origin === `http://${headers.host}`) return;
  throw new HoneError(
    'foreign_origin',
    `Requests from the web page origin "${headers.origin}" are refused.`,
    {
      param: 'origin',
    },
  );
}

/** An address that other machines reach is named by its IP or by its own name; a foreign domain stays refused. */
function isAllowedHost(name: string, listenHost: string): boolean {
  if (isLoopback(name)) return true;
  if (isLoopback(listenHost)) return false;
  return isIP(name) !== 0 || name === listenHost.toLowerCase() || name === hostname().toLowerCase();
}

function hostName(host: string): string {
  const bracketed = /^\[([^\]]+)\]/.exec(host);
  return (bracketed?.[1] ?? host.replace(/:\d+$/, '')).toLowerCase();
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
