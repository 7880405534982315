/**
 * Builds hone-<platform>.vsix (`--target PLATFORM`; `--gpu cuda` or `vulkan`: with that runtime inside): stages what the extension needs into one folder by hard link (nothing is copied,
 * the model least of all), then packs it under `.vscodeignore`, which denies everything that it doesn't name.
 *
 * The runtime packages go to dist/node_modules: Node finds them from the bundles beside them, and the packer,
 * which leaves out a top-level node_modules, keeps them.
 */
import { createVSIX, listFiles, PackageManager } from '@vscode/vsce';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageFaults, partsOf } from './packageReport.ts';
import { licenceFiles, packageFolder, runtimeFiles } from './runtimeFiles.ts';
import { packageFileName, targetOf } from './targets.ts';

const ROOT = join(import.meta.dirname, '..');
const BUNDLES = [
  'extension.cjs',
  'store-worker.cjs',
  'context-worker.cjs',
  'hone.js',
  'learner.js',
  'webview/dashboard.js',
  'webview/dashboard.css',
];
const TOP_LEVEL = [
  'package.nls.json',
  'README.md',
  'CHANGELOG.md',
  'TELEMETRY.md',
  'LICENSE',
  '.vscodeignore',
];
/** Folders whose files are offered to `.vscodeignore`. */
const DATA_FOLDERS = ['trainer/models', 'trainer/learning/general', 'extension/media/walkthrough'];
/** Smaller parts are not listed. */
const SHOWN_BYTES_MIN = 500_000;
/** Manifest fields that mean something only in the repository. */
const REPOSITORY_FIELDS = [
  'scripts',
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'private',
  'bin',
  'allowScripts',
];

const { values } = parseArgs({ options: { target: { type: 'string' }, gpu: { type: 'string' } } });
const target = targetOf(values.target, values.gpu);
const fileName = packageFileName(target);
// Of this run alone: two runs side by side must not take each other's files away.
const staging = join(ROOT, '.cache', 'package', `${fileName}-${process.pid}`);
const packagePath = join(ROOT, fileName);
process.on('exit', () => {
  rmSync(staging, { recursive: true, force: true });
  rmSync(`${staging}.vsix`, { force: true });
});

execFileSync(process.execPath, [join(ROOT, 'esbuild.mjs')], { cwd: ROOT, stdio: 'inherit' });
for (const file of TOP_LEVEL) stage(file);
for (const bundle of BUNDLES) stage(`dist/${bundle}`);
for (const folder of DATA_FOLDERS) for (const file of filesIn(folder)) stage(file);
for (const { from, to } of await runtimeFiles(ROOT, target)) link(from, `dist/${to}`);
writeStaged('package.json', `${JSON.stringify(shippedManifest(), null, 2)}\n`);
writeStaged('dist/THIRD-PARTY-NOTICES.txt', thirdPartyNotices());

const parts = partsOf(staging, await listFiles({ cwd: staging, packageManager: PackageManager.None }));
const faults = packageFaults(target, parts);
if (faults.length > 0) throw new Error(`The package would not be one for ${fileName}: ${faults.join('; ')}.`);

await createVSIX({
  cwd: staging,
  packagePath: `${staging}.vsix`,
  target: target.platform,
  dependencies: false,
  allowMissingRepository: true,
  // There is no address that they could point to.
  rewriteRelativeLinks: false,
});
renameSync(`${staging}.vsix`, packagePath);
for (const { name, files, bytes, binaries } of parts.filter((part) => part.bytes > SHOWN_BYTES_MIN))
  console.log(
    `  ${name.padEnd(34)} ${megabytes(bytes)} ${String(files).padStart(5)} files  ${binaries.join(', ')}`,
  );
console.log(`${packagePath}: ${megabytes(statSync(packagePath).size).trim()}`);

function stage(file: string, as = file): void {
  if (!existsSync(join(ROOT, file)))
    throw new Error(`${file} is missing; the package would not work without it.`);
  link(join(ROOT, file), as);
}

function link(from: string, as: string): void {
  const to = join(staging, as);
  mkdirSync(dirname(to), { recursive: true });
  linkSync(from, to);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1).padStart(6)} MB`;
}

function writeStaged(file: string, text: string): void {
  mkdirSync(dirname(join(staging, file)), { recursive: true });
  writeFileSync(join(staging, file), text);
}

function filesIn(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${folder}/${entry.name}`);
}

function readManifest(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
}

function shippedManifest(): Record<string, unknown> {
  const manifest = readManifest();
  for (const field of REPOSITORY_FIELDS) delete manifest[field];
  manifest.engines = { vscode: (manifest.engines as { vscode: string }).vscode };
  return manifest;
}

/** Licences of what the bundles contain; a package under dist/node_modules brings its own file. */
function thirdPartyNotices(): string {
  const { inputs } = JSON.parse(readFileSync(join(ROOT, 'dist', 'meta.json'), 'utf8')) as {
    inputs: string[];
  };
  const folders = [
    ...new Set(inputs.filter((input) => input.includes('node_modules/')).map(packageFolder)),
  ].sort();
  const parts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
    ) as {
      name: string;
      version: string;
      license?: string;
    };
    const texts = licenceFiles(ROOT, folder).map((file) => readFileSync(join(ROOT, file), 'utf8').trim());
    return [`${name} ${version} (${license ?? 'see below'})`, ...texts].join('\n\n');
  });
  return `Hone's bundles contain these packages.\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
