/** `hone doctor` as a user runs it, on what is really wrong. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { configSchema } from '../../trainer/config/schema.ts';
import { examine } from '../../trainer/doctor/examine.ts';
import type { Finding } from '../../trainer/doctor/finding.ts';
import { CompanionProcess, runHone } from '../fixtures/companionProcess.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

interface Report {
  v: number;
  problems: number;
  warnings: number;
  findings: Finding[];
}

const TOKEN = 'a-token-that-nobody-may-see';

describe('hone doctor', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  const model = join(folder, 'tiny.gguf');
  const common = ['--gpu', 'cpu', '--model', model];
  let companion: CompanionProcess | null = null;

  const doctor = async (
    ...options: string[]
  ): Promise<{ code: number | null; report: Report; text: string }> => {
    const { code, output, errors } = await runHone(['doctor', '--json', ...common, ...options]);
    assert.equal(errors, '');
    return { code, report: JSON.parse(output) as Report, text: output };
  };
  const of = (findings: readonly Finding[], check: string): Finding[] =>
    findings.filter((finding) => finding.check === check);

  before(() => void writeTinyModel(model));
  after(async () => {
    await companion?.kill();
    rmSync(folder, { recursive: true });
  });

  it('finds nothing wrong where nothing is', async () => {
    const free = ['--inference-port', '0', '--feedback-port', '0', '--data-dir', join(folder, 'none')];
    const seen = await doctor(...free);
    assert.equal(seen.code, 0, seen.text);
    assert.equal(seen.report.problems, 0);
    const checks = new Set(seen.report.findings.map(({ check }) => check));
    for (const check of [
      'versions',
      'platform',
      'llama',
      'ggml',
      'gpu',
      'model',
      'fim',
      'dataFolder',
      'disk',
      'ports',
    ])
      assert.ok(checks.has(check), check);
    assert.match(of(seen.report.findings, 'versions')[0]!.text, /^Hone \d+\.\d+\.\d+, Node 24/);
    assert.match(of(seen.report.findings, 'ggml')[0]!.text, /runs on CPU.*passes its self-check/);
    assert.match(of(seen.report.findings, 'model')[0]!.text, /tiny\.gguf: .*llama.*SHA-256 [0-9a-f]{64}/);
  });

  it('finds a broken model, a taken port, a folder that can’t be written, and a wrong file, all at once', async () => {
    const broken = join(folder, 'broken.gguf');
    writeTinyModel(broken);
    truncateSync(broken, 200_000);
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const config = join(folder, 'hone.yaml');
    writeFileSync(config, 'training: { batchEvent: 3 }');
    const options = ['--config', config, '--model', broken, '--data-dir', join(model, 'below')];
    const ports = ['--inference-port', String(port), '--feedback-port', '0'];
    const seen = await doctor(...options, ...ports);
    taken.close();
    assert.equal(seen.code, 1);
    const problems = seen.report.findings.filter(({ status }) => status === 'problem');
    assert.deepEqual(
      problems.map(({ check }) => check),
      ['configuration', 'model', 'dataFolder', 'ports'],
      seen.text,
    );
    assert.match(
      problems[0]!.text,
      /hone\.yaml:1: There is no key "training\.batchEvent"\. Nearest: training\.batchEvents/,
    );
    assert.match(problems[1]!.text, /broken\.gguf/);
    assert.match(problems[3]!.text, new RegExp(`Port ${port} `));
  });

  describe('beside a companion', () => {
    const dataDir = join(folder, 'data');
    const here = ['--data-dir', dataDir];

    before(async () => {
      companion = await CompanionProcess.start([
        ...common,
        ...here,
        '--threads',
        '1',
        '--log-level',
        'silent',
        '--token',
        TOKEN,
      ]);
    });

    /** The libraries were looked at above. */
    const examined = (...tokens: string[]): Promise<Finding[]> =>
      examine({
        config: configSchema.parse({}),
        dataDir,
        modelPath: model,
        tokens,
        configuration: [],
        probeCommand: [process.execPath, '-e', ''],
        environment: {},
      });

    it('says who it is, how it is, that its token is another, and that nothing has come to learn from', async () => {
      const findings = await examined('quite-another-one');
      assert.equal(
        findings.some(({ status }) => status === 'problem'),
        false,
        JSON.stringify(findings),
      );
      assert.match(of(findings, 'lock')[0]!.text, new RegExp(`process id ${companion!.child.pid} holds`));
      assert.deepEqual(
        of(findings, 'companion').map(({ status, text }) => [
          status,
          /^(Completions|Feedback) at http.*: model /.test(text),
        ]),
        [
          ['ok', true],
          ['ok', true],
        ],
      );
      const [token] = of(findings, 'token');
      assert.equal(token!.status, 'warning');
      assert.match(token!.text, /clients that send it are answered 401/);
      assert.match(of(findings, 'learning')[0]!.text, /^Nothing has been recorded yet/);
    });

    it('says what is waited for', async () => {
      await companion!.complete({ prompt: 'const neverTold = ', max_tokens: 4, temperature: 0 });
      for (const name of ['one', 'two', 'three', 'four', 'five'])
        await companion!.post('/api/training/submit', {
          prompt: `const ${name}Told = `,
          completion: '1;',
          accepted: true,
        });
      const learning = of(await examined(TOKEN), 'learning').map(({ text }) => text);
      assert.match(learning[0]!, /^1 of 1 completions were asked for at temperature 0/);
      assert.match(
        learning[1]!,
        /^Too few settled events for the first update: \d outcomes are settled and 0 wait.* at 16\.$/,
      );
    });

    it('tells in words for people that it was killed, and gives no token, prompt or home folder away', async () => {
      await companion!.kill();
      const below = join(homedir(), '.hone-doctor-test', 'none.gguf');
      const ports = ['--inference-port', '0', '--feedback-port', '0'];
      const options = [...here, ...ports, '--token', TOKEN, '--model', below];
      const { code, output, errors } = await runHone(['doctor', '--gpu', 'cpu', ...options]);
      assert.equal(code, 1, output);
      assert.match(output, /^PROBLEM There is no model file at ~\/\.hone-doctor-test\/none\.gguf/m);
      assert.match(
        output,
        /^warning No companion runs on this data folder; the last one \(process id \d+, .*killed or crashed/m,
      );
      assert.match(output, /^ {8}→ Nothing needs to be tidied up/m);
      assert.match(output, /^ok {6}The database opens and is sound/m);
      assert.match(
        output,
        /^warning Too few settled events for the first update: \d outcomes wait; it begins at 16\.$/m,
      );
      assert.match(output, /^1 problem, 3 warnings\.$/m);
      for (const secret of [TOKEN, 'neverTold', 'oneTold', `${homedir()}/`])
        assert.equal((output + errors).includes(secret), secret === '//', secret);
    });
  });
});
