/** What a report that is shown to others must not hold. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Finding } from './finding.ts';

/** Tokens shorter than this may be a word of any text; they are left alone. */
const LEAST_TOKEN_CHARS = 4;

/** The findings with `~` in place of the home folder and `[token]` in place of each secret. */
export function redacted(findings: readonly Finding[], secrets: readonly string[]): Finding[] {
  const replacements: [string, string][] = [
    ...secrets
      .filter((secret) => secret.length >= LEAST_TOKEN_CHARS)
      .map((secret): [string, string] => [secret, '[token]']),
    ...homeFolders().map((home): [string, string] => [home, '~']),
  ];
  const clean = (text: string): string =>
    replacements.reduce((current, [from, to]) => current.replaceAll(from, to), text);
  return findings.map(({ check, status, text, remedy }) => ({
    check,
    status,
    text: clean(text),
    ...(remedy === undefined ? {} : { remedy: clean(remedy) }),
  }));
}

/** Also where it really lies: error messages of the system name that. */
function homeFolders(): string[] {
  const home = homedir();
  let real = home;
  try {
    real = realpathSync(home);
  } catch {
    // An account without a home folder.
  }
  return [...new Set([real, home])].filter((path) => path.length > 1);
}
