import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fetch } from 'undici';
import { healthSchema, serveReadySchema, type Health } from '../../extension/common/contracts/index.ts';
import type { Logger } from '../../trainer/server/shared/logging.ts';
import { quiet, temporaryFolder } from '../fixtures/tinyEngine.ts';
import { openTinyService, type TinyService } from '../fixtures/tinyService.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

const MAIN = join(import.meta.dirname, '../../trainer/main.ts');
const ASK = { prompt: 'let a = ', suffix: ';\n', temperature: 0, max_tokens: 4 };

describe('the fill-in-the-middle template of a served model', () => {
  let tiny: TinyService;
  const said: string[] = [];
  const listening: Logger = Object.assign(Object.create(quiet) as Logger, {
    info: (_: object, message: string) => void said.push(message),
    warn: (message: string) => void said.push(message),
  });
  afterEach(async () => {
    await tiny.close();
    said.splice(0);
  });

  const health = async () => healthSchema.parse(await (await tiny.get('/health')).json());

  it('is that of its markers, told in /health and in the log', async () => {
    tiny = await openTinyService({}, { logger: listening });
    await tiny.complete(ASK);
    assert.equal(tiny.records[0]!.promptText, '<|fim_prefix|><|fim_suffix|>;\n<|fim_middle|>let a = ');
    const { fim, fimTemplate, prefixOnly } = await health();
    assert.deepEqual(
      { fim, fimTemplate, prefixOnly },
      { fim: true, fimTemplate: 'qwen, spm', prefixOnly: undefined },
    );
    assert.match(said.join('\n'), /fill-in-the-middle template qwen, order spm\./);
  });

  it('takes another order when it is set', async () => {
    tiny = await openTinyService({}, { fimTemplate: 'psm', logger: listening });
    await tiny.complete(ASK);
    assert.equal(tiny.records[0]!.promptText, '<|fim_prefix|>let a = <|fim_suffix|>;\n<|fim_middle|>');
    assert.equal((await health()).fimTemplate, 'qwen, psm');
  });

  it('is none when it is set so: prefix only, told in the answer, in /health and in the log', async () => {
    tiny = await openTinyService({}, { fimTemplate: 'none', logger: listening });
    const answer = await tiny.complete(ASK);
    assert.equal(answer.suffix_used, false);
    assert.equal(tiny.records[0]!.promptText, 'let a = ');
    const { fim, prefixOnly } = await health();
    assert.deepEqual({ fim, prefixOnly }, { fim: false, prefixOnly: 'setting' });
    assert.match(said.join('\n'), /is set to be asked without fill-in-the-middle markers/);
  });

  it('is none when the model has no markers, told in the answer, in /health and in the log', async () => {
    tiny = await openTinyService({ fim: false, fimOrder: null }, { logger: listening });
    assert.equal((await tiny.complete(ASK)).suffix_used, false);
    const { fim, prefixOnly } = await health();
    assert.deepEqual({ fim, prefixOnly }, { fim: false, prefixOnly: 'noMarkers' });
    assert.match(said.join('\n'), /has no fill-in-the-middle markers/);
  });
});

describe('hone serve with a template', () => {
  const folder = temporaryFolder();
  const model = join(folder, 'tiny.gguf');
  const config = join(folder, 'config.json');
  const serve = ['serve', '--model', model, '--gpu', 'cpu', '--threads', '1', '--log-level', 'error'];
  const free = ['--inference-port', '0', '--feedback-port', '0', '--no-train', '--token', 'none'];
  before(() => {
    writeTinyModel(model);
    writeFileSync(config, JSON.stringify({ inference: { fimTemplate: 'none' } }));
  });
  after(() => rmSync(folder, { recursive: true }));

  const start = (name: string, args: string[]) =>
    spawn(process.execPath, [MAIN, ...serve, ...free, '--data-dir', join(folder, name), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  async function healthOf(name: string, args: string[]): Promise<Health> {
    const child = start(name, args);
    try {
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const { inference } = serveReadySchema.parse(JSON.parse(line));
      return healthSchema.parse(await (await fetch(`${inference}/health`)).json());
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  }

  it('takes it from the configuration, and the option before that', async () => {
    assert.equal((await healthOf('config', ['--config', config])).prefixOnly, 'setting');
    const both = await healthOf('both', ['--config', config, '--fim-template', 'psm']);
    assert.equal(both.fimTemplate, 'qwen, psm');
  });

  it('ends with 1 when the model lacks its markers, with 2 when there is none of the name', async () => {
    const ended = async (name: string, template: string) => {
      const child = start(name, ['--fim-template', template]);
      let errors = '';
      child.stderr.on('data', (chunk: Buffer) => void (errors += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, errors };
    };
    const unfit = await ended('unfit', 'deepseek');
    assert.equal(unfit.code, 1);
    assert.match(unfit.errors, /template "deepseek": .* has no <｜fim▁begin｜>.*\[fim_template_unfit\]/);
    assert.equal((await ended('unknown', 'mine')).code, 2);
  });
});
