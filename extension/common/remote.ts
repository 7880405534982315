/** A companion on another machine: what the settings say of it, and what can be done when it isn't reached. */
import type { Settings } from './contributions.ts';
import { isLoopback } from './loopback.ts';

export interface RemoteCompanion {
  /** Addresses without a slash at their end. */
  inference: string;
  feedback: string;
  /** Sent with every request; the tokens are among them. */
  headers: Record<string, string>;
  /** A file of certificates (PEM) to trust beside those of the system; empty: none. */
  certificateFile: string;
  /** Which machine serves, for people. */
  host: string;
  /** Why others can read what is sent there; null: they can't. */
  warning: string | null;
}

type RemoteSettings = Pick<
  Settings,
  'companionUrl' | 'companionFeedbackUrl' | 'companionHeaders' | 'companionCertificateFile'
>;

/** What a request could not come there without, or what the client sets itself. */
const OWN_HEADERS = new Set(['host', 'content-type', 'content-length', 'connection', 'transfer-encoding']);
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/**
 * The companion that the settings name; null: none, so that one is started on this machine.
 *
 * @throws Error that names the setting and says what it may be.
 */
export function remoteCompanionOf(settings: RemoteSettings): RemoteCompanion | null {
  if (settings.companionUrl === '') return null;
  const inference = addressOf(settings.companionUrl, 'companion.url');
  const told = settings.companionFeedbackUrl;
  const feedback = told === '' ? inference : addressOf(told, 'companion.feedbackUrl');
  checkHeaders(settings.companionHeaders);
  const open = [inference, feedback].filter(isReadableOnTheWay);
  return {
    inference: textOf(inference),
    feedback: textOf(feedback),
    headers: { ...settings.companionHeaders },
    certificateFile: settings.companionCertificateFile,
    host: inference.host,
    warning:
      open.length === 0
        ? null
        : `What is sent to ${open[0]!.host}, your code and the token too, travels unencrypted: use an https address.`,
  };
}

/** An answer that was no success, or none. */
interface Failure {
  /** 0: no answer came. */
  status: number;
  code: string;
  message: string;
  /** Code of the error below it, Node's or undici's. */
  causeCode: string | undefined;
}

const UNTRUSTED_CERTIFICATE = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);
const NO_TLS_THERE = new Set(['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);
const SILENT = new Set([
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
]);

/** What went wrong and what to do about it, for the status bar. */
export function explainFailure(failure: Failure, { host, feedback, inference }: RemoteCompanion): string {
  const { status, code, message, causeCode = '' } = failure;
  if (status === 401)
    return `${host} refuses the token. Put "Authorization": "Bearer TOKEN" into hone.companion.headers, with the token that hone serve has there.`;
  if (status === 403) return `${host} refuses the request: ${message}`;
  if (status === 404 || code === 'unexpected_answer' || code === 'http')
    return `What answers at ${host} is not Hone's service: ${message} Check hone.companion.url (${inference}) and hone.companion.feedbackUrl (${feedback}).`;
  if (status !== 0) return `${host}: ${message}`;
  if (causeCode === 'ECONNREFUSED')
    return `Nothing listens at ${host}. Start hone serve there with --host, or check the port in hone.companion.url and hone.companion.feedbackUrl.`;
  if (causeCode === 'ENOTFOUND' || causeCode === 'EAI_AGAIN')
    return `The name ${host} is not known here. Check hone.companion.url and the network.`;
  if (SILENT.has(causeCode))
    return `${host} does not answer. Check that the machine is on, and that no firewall is in between.`;
  if (UNTRUSTED_CERTIFICATE.has(causeCode))
    return `The certificate of ${host} is not signed by anyone trusted here. Name its file in hone.companion.certificateFile.`;
  if (causeCode === 'CERT_HAS_EXPIRED') return `The certificate of ${host} has expired. Renew it there.`;
  if (causeCode === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of ${host} is for another name. Use that name in hone.companion.url, or make one for this name.`;
  if (NO_TLS_THERE.has(causeCode))
    return `${host} does not speak https. Put a proxy with TLS in front of hone serve there, or check the port.`;
  return `${host} can't be reached: ${message}`;
}

function addressOf(text: string, key: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new Error(
      `hone.${key} is no address: ${text}. It is like https://machine:8443, or http://127.0.0.1:8081.`,
    );
  if (url.username !== '' || url.password !== '')
    throw new Error(`hone.${key} holds a name or a password. Put them into hone.companion.headers.`);
  if (url.search !== '' || url.hash !== '')
    throw new Error(`hone.${key} ends in a query or a fragment. Leave out what begins with ? or #.`);
  return url;
}

function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name) || OWN_HEADERS.has(name.toLowerCase()))
      throw new Error(`hone.companion.headers can't have "${name}". Leave it out.`);
    if (!HEADER_VALUE.test(value))
      throw new Error(
        `hone.companion.headers: the value of "${name}" has characters that no header carries.`,
      );
  }
}

function textOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '');
}

function isReadableOnTheWay({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isLoopback(hostname);
}
