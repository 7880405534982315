import * as esbuild from 'esbuild';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { GRAMMARS } from '../extension/common/syntax/languages.ts';
import { lockedPackage } from './lockedPackages.ts';
import { PLATFORMS, platformPackages, type Target } from './targets.ts';

/** Packages that stay outside the bundles because they find their binaries beside their own files. */
const RUNTIME_PACKAGES = ['node-llama-cpp', 'koffi', 'better-sqlite3', '@vscode/tree-sitter-wasm'];

/**
 * Left out of the graph: platform packages (named below for this platform alone), a file-cloning helper that
 * its importer does without, and Electron's own module.
 */
const OUTSIDE_THE_GRAPH = ['@node-llama-cpp/*', '@koromix/*', '@reflink/*', 'electron'];

/** Data files that node-llama-cpp reads beside its code. */
const LLAMA_DATA = ['llama/binariesGithubRelease.json', 'llama/llama.cpp.info.json'];

/** The parser and the grammars that are used, of all those in the package. */
const SYNTAX_DATA = ['tree-sitter.wasm', ...GRAMMARS.map((grammar) => `tree-sitter-${grammar}.wasm`)];

const LICENCE_FILE = /^(licen[cs]e|copying|notice|third.?party.*)(\.|-|$)/i;

/** A file of the package: where it lies, and its path from `node_modules` on. */
export interface RuntimeFile {
  from: string;
  to: string;
}

/**
 * Files under node_modules that the bundles need at run time on one platform, sorted: every module that the runtime
 * packages reach (asked of the bundler, so that an update of a package updates the list), their manifests and
 * licences, and the native binaries of the target.
 */
export async function runtimeFiles(root: string, target: Target): Promise<RuntimeFile[]> {
  const names = PLATFORMS[target.platform]!;
  const files = new Set(await reachableModules(root));
  const others = [
    `node_modules/better-sqlite3/prebuilds/${names.sqlite}.node`,
    ...LLAMA_DATA.map((file) => `node_modules/node-llama-cpp/${file}`),
    ...SYNTAX_DATA.map((file) => `node_modules/@vscode/tree-sitter-wasm/wasm/${file}`),
  ];
  for (const file of others) files.add(file);
  for (const manifest of [...files].flatMap((file) => manifestsAbove(root, file))) files.add(manifest);
  for (const folder of new Set([...files].map(packageFolder))) {
    for (const licence of licenceFiles(root, folder)) files.add(licence);
  }
  const missing = [...files].filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0) throw new Error(`Not installed, run npm ci: ${missing.join(', ')}`);
  const native = platformPackages(target).flatMap((name) => filesOfPackage(root, name));
  // koffi's package for Linux has binaries for musl too.
  const wanted = native.filter(
    ({ to }) => !to.includes('/koffi-') || !to.endsWith('.node') || to.includes(`/${names.koffi}/`),
  );
  const plain = [...files].map((file) => ({ from: join(root, file), to: file }));
  return [...plain, ...wanted].toSorted((a, b) => (a.to < b.to ? -1 : 1));
}

/** `node_modules/a/node_modules/b` of a file that lies somewhere in b. */
export function packageFolder(file: string): string {
  const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file);
  if (found === null) throw new Error(`Not inside a package: ${file}`);
  return found[0];
}

/** Licence files of a package, relative to `root`. */
export function licenceFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => LICENCE_FILE.test(name) && !/\.(js|cjs|mjs|ts)$/.test(name))
    .map((name) => `${folder}/${name}`);
}

/** The package's manifest and those of folders between, which say whether a `.js` file is a module. */
function manifestsAbove(root: string, file: string): string[] {
  const top = packageFolder(file);
  const folders = file
    .slice(top.length + 1)
    .split('/')
    .slice(0, -1);
  const inner = folders.map((_, depth) => `${top}/${folders.slice(0, depth + 1).join('/')}/package.json`);
  return [`${top}/package.json`, ...inner.filter((manifest) => existsSync(join(root, manifest)))];
}

async function reachableModules(root: string): Promise<string[]> {
  const result = await esbuild.build({
    stdin: { contents: RUNTIME_PACKAGES.map((name) => `import '${name}';`).join('\n'), resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'unused',
    platform: 'node',
    format: 'esm',
    // Node's own conditions and main fields, or the bundler would follow files that Node never loads.
    conditions: [],
    mainFields: ['main'],
    external: OUTSIDE_THE_GRAPH,
    logLevel: 'error',
  });
  return Object.keys(result.metafile.inputs).filter((input) => input.startsWith('node_modules/'));
}

function filesOfPackage(root: string, name: string): RuntimeFile[] {
  const folder = lockedPackage(root, name);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const from = join(entry.parentPath, entry.name);
      return { from, to: `node_modules/${name}/${relative(folder, from).split(sep).join('/')}` };
    });
}
