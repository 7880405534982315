import picomatch from 'picomatch';

/**
 * Files whose text never leaves the editor, whatever the settings say: environment files, keys, certificates,
 * credentials. A user's patterns are added to these and can't take one away.
 */
const ALWAYS_EXCLUDED = [
  '**/.env',
  '**/.env.*',
  '**/*.env',
  '**/.envrc',
  '**/*.{pem,key,crt,cer,der,p7b,p7c,p8,p12,pfx,jks,keystore,truststore,kdbx,ppk,asc,gpg}',
  '**/id_{rsa,dsa,ecdsa,ed25519}*',
  '**/.ssh/**',
  '**/.gnupg/**',
  '**/.aws/**',
  '**/.kube/config',
  '**/.netrc',
  '**/_netrc',
  '**/.npmrc',
  '**/.pypirc',
  '**/.pgpass',
  '**/.htpasswd',
  '**/.git-credentials',
  '**/.docker/config.json',
  '**/{credentials,secrets}{,.json,.yml,.yaml,.toml,.ini,.xml,.properties}',
  '**/*.tfvars',
  '**/*.tfstate{,.backup}',
];

/** Whether a file, by its path with slashes of either kind, is excluded. `patterns` are the user's own globs. */
export function excludedFiles(patterns: readonly string[]): (path: string) => boolean {
  // Case is ignored: on two of three systems `.ENV` is the same file.
  const options = { dot: true, nocase: true };
  const always = picomatch(ALWAYS_EXCLUDED, options);
  const own = patterns.length === 0 ? () => false : picomatch(patterns.map(anywhere), options);
  return (path) => {
    const slashed = path.replaceAll('\\', '/').replace(/^\/+/, '');
    return always(slashed) || own(slashed);
  };
}

/** A pattern without a slash matches at every depth, as in an ignore file. */
function anywhere(pattern: string): string {
  const trimmed = pattern.replace(/^\//, '');
  if (trimmed.endsWith('/')) return `**/${trimmed}**`;
  return trimmed.startsWith('**/') ? trimmed : `**/${trimmed}`;
}
