import { EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { trustedCertificates } from '../certificates.ts';

/** The editor's own settings about proxies, `http.proxy` and its neighbours. */
export interface ProxySettings {
  /** Empty: the environment's, or none. */
  proxy: string;
  noProxy: string[];
  /** False: certificates are not checked. */
  strictSsl: boolean;
}

const STALL_MS = 60_000;
const CONNECT_MS = 30_000;

/**
 * Connections for a download: through the editor's proxy, else the environment's (`HTTPS_PROXY`, `NO_PROXY`), else
 * straight.
 */
export function downloadConnections({ proxy, noProxy, strictSsl }: ProxySettings): Dispatcher {
  const tls = { rejectUnauthorized: strictSsl, ca: trustedCertificates() };
  return new EnvHttpProxyAgent({
    ...(proxy === '' ? {} : { httpProxy: proxy, httpsProxy: proxy }),
    ...(noProxy.length === 0 ? {} : { noProxy: noProxy.join(',') }),
    connect: { ...tls, timeout: CONNECT_MS },
    requestTls: { ...tls, timeout: CONNECT_MS },
    proxyTls: tls,
    headersTimeout: STALL_MS,
    bodyTimeout: STALL_MS,
  });
}
