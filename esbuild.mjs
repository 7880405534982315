// Bundles every entry point into dist/. `node esbuild.mjs --watch` rebuilds on change.
import * as esbuild from 'esbuild';
import { existsSync, writeFileSync } from 'node:fs';

const watch = process.argv.includes('--watch');

/** Native packages stay outside the bundles: they find their binaries beside their own files. */
const external = ['vscode', 'node-llama-cpp', 'koffi', 'better-sqlite3'];

const common = {
  bundle: true,
  platform: 'node',
  target: 'node22',
  sourcemap: true,
  metafile: true,
  external,
  logLevel: 'warning',
};
const esmBanner = {
  js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
};

/** @type {esbuild.BuildOptions[]} */
const bundles = [
  {
    ...common,
    format: 'cjs',
    entryPoints: { extension: 'extension/extension.ts' },
    outExtension: { '.js': '.cjs' },
    outdir: 'dist',
  },
  {
    ...common,
    format: 'cjs',
    entryPoints: {
      'store-worker': 'extension/node/storeWorker.ts',
      'context-worker': 'extension/node/contextWorker.ts',
    },
    outExtension: { '.js': '.cjs' },
    outdir: 'dist',
  },
  { ...common, format: 'esm', entryPoints: { hone: 'trainer/main.ts' }, outdir: 'dist', banner: esmBanner },
  {
    ...common,
    format: 'esm',
    entryPoints: { learner: 'trainer/learning/learnerMain.ts' },
    outdir: 'dist',
    banner: esmBanner,
  },
  {
    ...common,
    platform: 'browser',
    target: 'chrome138',
    format: 'iife',
    entryPoints: { dashboard: 'webview-ui/main.ts', style: 'webview-ui/dashboard.css' },
    entryNames: 'dashboard',
    outdir: 'dist/webview',
    external: [],
    minify: true,
    sourcemap: false,
  },
].filter((bundle) => Object.values(bundle.entryPoints).every((entry) => existsSync(entry)));

if (watch) {
  for (const bundle of bundles) await (await esbuild.context(bundle)).watch();
} else {
  const results = await Promise.all(bundles.map((bundle) => esbuild.build(bundle)));
  // The packer lists the licences of what went into the bundles.
  const inputs = [...new Set(results.flatMap((result) => Object.keys(result.metafile.inputs)))].sort();
  writeFileSync('dist/meta.json', JSON.stringify({ inputs }, null, 1));
}
