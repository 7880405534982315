import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * code-server lets every extension use every proposed API, so a test in it can pass on code that throws in a
 * stable VS Code. Each bundle has one function that answers "is this proposal enabled?", always with true,
 * right before the one that throws.
 */
const ALWAYS_ENABLED =
  /function ([\w$]+)\(([\w$]+),([\w$]+)\)\{return!0\}(?=function [\w$]+\([\w$]+,[\w$]+\)\{if\(!\1\([\w$]+,[\w$]+\)\)throw new Error\(`Extension '\$\{[\w$]+\.identifier\.value\}' CANNOT use API proposal)/g;

/** In the workbench also the flag by which the list of an extension's proposals is left as it is. */
const ENABLED_FOR_ALL = /this\._envEnablesProposedApiForAll=!0/g;

const BUNDLES = [
  'out/server-main.js',
  'out/vs/code/browser/workbench/workbench.js',
  'out/vs/workbench/api/node/extensionHostProcess.js',
  'out/vs/workbench/api/worker/extensionHostWorkerMain.js',
];

/**
 * Rewrites the bundles below `vscode` (code-server's lib/vscode) so that an extension may use a proposed API
 * only where a stable VS Code would let it. Throws if a bundle isn't the one this was written for.
 */
export function refuseProposedApi(vscode: string): void {
  for (const bundle of BUNDLES) {
    const path = join(vscode, bundle);
    let text = readFileSync(path, 'utf8');
    text = replaceOnce(path, text, ALWAYS_ENABLED, (_, name: string, extension: string, proposal: string) => {
      const look = `!!${extension}.enabledApiProposals&&${extension}.enabledApiProposals.includes(${proposal})`;
      return `function ${name}(${extension},${proposal}){return ${look}}`;
    });
    if (bundle.endsWith('workbench.js')) {
      text = replaceOnce(path, text, ENABLED_FOR_ALL, () => 'this._envEnablesProposedApiForAll=!1');
    }
    // A new file in its place: the old one may be a hard link into another installation.
    writeFileSync(`${path}.strict`, text);
    renameSync(`${path}.strict`, path);
  }
}

function replaceOnce(
  path: string,
  text: string,
  pattern: RegExp,
  replacement: (match: string, ...groups: string[]) => string,
): string {
  const count = [...text.matchAll(pattern)].length;
  if (count !== 1) {
    throw new Error(
      `${path}: expected one place that enables proposed API, found ${count}; another code-server version?`,
    );
  }
  return text.replace(pattern, replacement);
}
