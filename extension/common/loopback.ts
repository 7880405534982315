const LOOPBACK_NAMES = new Set(['localhost', '::1', '[::1]']);
/** A number alone may follow: a domain can begin with `127.`, too, and lead anywhere. */
const LOOPBACK_BLOCK = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/** Whether an address or name, in lower case, reaches this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK_NAMES.has(host) || LOOPBACK_BLOCK.test(host);
}
