import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { serveReadySchema } from '../../extension/common/contracts/index.ts';
import { BLOCK_LANGUAGES, GRAMMARS } from '../../extension/common/syntax/languages.ts';
import { Grammars } from '../../extension/node/grammars.ts';
import { NODE, ROOT, VSIX } from './harness/paths.ts';
import { installVsix } from './harness/server.ts';

const run = promisify(execFile);
const MEBIBYTE = 2 ** 20;
/** The model is 90 MiB of it. */
const LARGEST_PACKAGE_MEBIBYTES = 130;

const NEEDED = [
  /^package\.nls\.json$/,
  /^dist\/extension\.cjs$/,
  /^dist\/store-worker\.cjs$/,
  /^dist\/context-worker\.cjs$/,
  /^dist\/hone\.js$/,
  /^dist\/learner\.js$/,
  /^dist\/THIRD-PARTY-NOTICES\.txt$/,
  /^trainer\/models\/[^/]+\.gguf$/,
  /^trainer\/models\/README\.md$/,
  /^trainer\/models\/LICENSE-Apache-2\.0\.txt$/,
  /^dist\/webview\/dashboard\.(js|css)$/,
  /^trainer\/learning\/general\/.+/,
  /^dist\/node_modules\/better-sqlite3\/prebuilds\/[^/]+\.node$/,
  /^dist\/node_modules\/@koromix\/[^/]+\/.+\/koffi\.node$/,
  /^dist\/node_modules\/@node-llama-cpp\/[^/]+\/bins\/.+\/llama-addon\.node$/,
  /^dist\/node_modules\/@vscode\/tree-sitter-wasm\/wasm\/tree-sitter\.wasm$/,
  ...GRAMMARS.map((name) => new RegExp(`^dist/node_modules/@vscode/.+/tree-sitter-${name}\\.wasm$`)),
  /^LICENSE(\.txt)?$/i,
  /^readme\.md$/i,
  /^changelog\.md$/i,
  /^telemetry\.md$/i,
  /^extension\/media\/walkthrough\/suggestion\.svg$/,
];

const FORBIDDEN = [
  /^extension\/(?!media\/)/,
  /^(test|scripts|docs|webview-ui)\//,
  /^trainer\/(?!models\/|learning\/general\/)/,
  /^dist\/.*\.map$/,
  /^dist\/meta\.json$/,
  /(?<!general\/.*)\.ts$/,
  /cuda|vulkan/i,
  /^\.(?!vsixmanifest$)|\/\.(git|cache)\//,
  /\.(cc|hh|cpp|hpp|c|h)$/,
  /gitRelease\.bundle$/,
  /package-lock\.json$/,
];

describe('the package', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'hone-package-'));
  let installed: string;
  let files: string[];

  before(async () => {
    const extensions = await installVsix({ folder }, VSIX);
    const name = readdirSync(extensions).find((entry) => entry.startsWith('hone.hone-'));
    assert.ok(name, `not installed below ${extensions}`);
    installed = join(extensions, name);
    files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(installed, join(entry.parentPath, entry.name)));
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('contains what it needs, and the model once', () => {
    for (const pattern of NEEDED)
      assert.ok(
        files.some((file) => pattern.test(file)),
        `nothing matches ${pattern}`,
      );
    assert.equal(
      files.filter((file) => file.endsWith('.gguf') && statSync(join(installed, file)).size > MEBIBYTE)
        .length,
      1,
    );
  });

  it('contains no sources, no tests, no other platform and nothing for a graphics card', () => {
    const unwanted = files.filter((file) => FORBIDDEN.some((pattern) => pattern.test(file)));
    // A package may be called after a tool that it doesn't contain: only binaries of the processor may be there.
    const allowed = unwanted.filter((file) => !/\/node-llama-cpp\/dist\/.*(cuda|vulkan).*\.js$/i.test(file));
    assert.deepEqual(allowed, []);
    const binaries = files.filter((file) => file.endsWith('.node'));
    assert.equal(binaries.length, 3, binaries.join(', '));
  });

  it('is of a size that can be downloaded', () => {
    const mebibytes = statSync(VSIX).size / MEBIBYTE;
    const unpacked =
      files.reduce((total, file) => total + statSync(join(installed, file)).size, 0) / MEBIBYTE;
    console.log(
      `      ${mebibytes.toFixed(1)} MiB packed, ${unpacked.toFixed(1)} MiB unpacked, ${files.length} files`,
    );
    assert.ok(mebibytes < LARGEST_PACKAGE_MEBIBYTES);
  });

  it('has the model unchanged', () => {
    const sums = readFileSync(join(ROOT, 'trainer', 'models', 'SHA256SUMS'), 'utf8');
    const model = files.find((file) => /^trainer\/models\/[^/]+\.gguf$/.test(file));
    assert.ok(model);
    const sum = createHash('sha256')
      .update(readFileSync(join(installed, model)))
      .digest('hex');
    assert.ok(sums.includes(sum));
  });

  it('parses with its own grammars', async () => {
    const grammars = new Grammars(join(installed, 'dist', 'extension.cjs'), assert.fail);
    for (const grammar of GRAMMARS) await grammars.load(grammar);
    for (const languageId of Object.keys(BLOCK_LANGUAGES))
      assert.ok(grammars.syntaxOf(languageId), languageId);
  });

  it('keeps the modes of the files', () => {
    const mode = (path: string): number => statSync(path).mode & 0o111;
    assert.doesNotThrow(() => accessSync(join(installed, 'dist', 'hone.js'), constants.R_OK));
    const addon = files.find((file) => file.endsWith('llama-addon.node'));
    assert.ok(addon);
    const original = join(ROOT, addon.replace(/^dist\//, ''));
    assert.equal(mode(join(installed, addon)), mode(original));
  });

  it('runs hone --help far from the repository', async () => {
    const { stdout } = await run(NODE, [join(installed, 'dist', 'hone.js'), '--help'], {
      cwd: folder,
      env: bare(),
    });
    for (const command of ['serve', 'replay', 'train', 'client', 'adapters'])
      assert.match(stdout, new RegExp(`\\b${command}\\b`));
  });

  it('serves a completion of the embedded model far from the repository', async () => {
    const child = spawn(
      NODE,
      [
        join(installed, 'dist', 'hone.js'),
        'serve',
        ...[
          '--inference-port',
          '0',
          '--feedback-port',
          '0',
          '--data-dir',
          join(folder, 'data'),
          '--threads',
          '2',
        ],
      ],
      { cwd: folder, env: bare(), stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    try {
      const ready = serveReadySchema.parse(JSON.parse(await firstLine(child.stdout, () => log)));
      const response = await fetch(`${ready.inference}/v1/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${ready.token}` },
        body: JSON.stringify({
          prompt: 'function add(a, b) {\n  return ',
          suffix: '\n}\n',
          max_tokens: 8,
          record: false,
        }),
      });
      const body = (await response.json()) as { choices?: { text: string }[] };
      assert.equal(response.status, 200, JSON.stringify(body));
      assert.ok((body.choices?.[0]?.text.length ?? 0) > 0, JSON.stringify(body));
    } finally {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
  });
});

/** An environment in which nothing points into the repository. */
function bare(): NodeJS.ProcessEnv {
  return { PATH: '/usr/bin:/bin', HOME: tmpdir() };
}

function firstLine(stream: NodeJS.ReadableStream, log: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.setEncoding('utf8');
    stream.on('data', (part: string) => {
      text += part;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    stream.on('end', () => reject(new Error(`hone serve ended before it was ready.\n${log()}`)));
  });
}
