import { getCACertificates } from 'node:tls';

/** Certificates, PEM, that Node and the operating system trust: a company's network has its own in the latter. */
export function trustedCertificates(): string[] {
  return [...getCACertificates('default'), ...getCACertificates('system')];
}
