/** Who else could read what is kept, and what stands between a client and a loopback address. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { COMPANION_FILE } from '../../extension/common/contracts/index.ts';
import { EXTENSION_TOKENS } from '../../extension/common/data/files.ts';
import { DATABASE_FILE } from '../store/database.ts';
import { ok, problem, warning, type Finding } from './finding.ts';

const FOR_OTHERS = 0o077;
const ENTRY_FOR_OTHERS = 0o011;
const PROXIES = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];
const EXCEPTIONS = ['no_proxy', 'NO_PROXY'];
const LOOPBACK = ['127.0.0.1', 'localhost', '*'];

const tokensSchema = z.looseObject({ inference: z.string(), feedback: z.string() });

/** Where the extension keeps the tokens of its installation: beside the companion's folder. */
function tokensFile(dataDir: string): string {
  return join(dirname(dataDir), EXTENSION_TOKENS);
}

/** The extension's tokens, where the data folder is that of its companion. */
export function installationTokens(dataDir: string): string[] {
  try {
    const { inference, feedback } = tokensSchema.parse(JSON.parse(readFileSync(tokensFile(dataDir), 'utf8')));
    return [inference, feedback];
  } catch {
    // A data folder of the command line has none.
    return [];
  }
}

/** Files that hold tokens or code, and may be read by other accounts. */
export function permissionFindings(dataDir: string): Finding[] {
  if (process.platform === 'win32') return [];
  const tokens = tokensFile(dataDir);
  const secret = installationTokens(dataDir).length > 0 ? [tokens] : [];
  const kept = [dataDir, join(dataDir, DATABASE_FILE), join(dataDir, COMPANION_FILE)];
  const findings = [...secret, ...kept].filter(isExposed).map((path) => {
    const mode = (modeOf(path) & 0o777).toString(8).padStart(3, '0');
    const text = `Other accounts may read or write ${path} (mode ${mode}).`;
    const remedy = `chmod go-rwx '${path}'`;
    return path === tokens ? problem('permissions', text, remedy) : warning('permissions', text, remedy);
  });
  return findings.length > 0
    ? findings
    : [ok('permissions', 'Tokens and records can be read by this account alone.')];
}

/** Others may open it, and its folder lets them get there. */
function isExposed(path: string): boolean {
  return (
    existsSync(path) && (modeOf(path) & FOR_OTHERS) !== 0 && (modeOf(dirname(path)) & ENTRY_FOR_OTHERS) !== 0
  );
}

function modeOf(path: string): number {
  return statSync(path).mode;
}

/** A proxy that clients are told to use for this computer's own addresses as well. */
export function proxyFindings(environment: NodeJS.ProcessEnv): Finding[] {
  const proxy = PROXIES.find((name) => environment[name]);
  if (proxy === undefined) return [];
  const exceptions = EXCEPTIONS.flatMap((name) => environment[name]?.split(/[\s,]+/) ?? []);
  if (LOOPBACK.some((host) => exceptions.includes(host)))
    return [ok('proxy', 'The proxy leaves this computer out.')];
  return [
    warning(
      'proxy',
      `${proxy} is set and NO_PROXY does not name 127.0.0.1: clients may send requests for Hone to the proxy.`,
      'export NO_PROXY=127.0.0.1,localhost',
    ),
  ];
}
