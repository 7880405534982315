import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  completionResponseSchema,
  serveReadySchema,
  submitResponseSchema,
  trainingStatusSchema,
  type CompletionResponse,
  type ServeReady,
} from '../../extension/common/contracts/index.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const TOKEN = 'choose-a-token';

interface Body {
  stop?: unknown;
  stream?: boolean;
}

describe('the curl examples of README.md', function () {
  this.timeout(120_000);
  const dataDir = mkdtempSync(join(tmpdir(), 'hone-readme-'));
  const examples = curlExamples();
  let server: ChildProcess;
  let ready: ServeReady;

  before(async () => {
    ensureCurl();
    const ports = ['--inference-port', '0', '--feedback-port', '0'];
    server = spawn(
      process.execPath,
      ['trainer/main.ts', 'serve', ...ports, '--data-dir', dataDir, '--threads', '2', '--log-level', 'warn'],
      { cwd: ROOT, env: { ...process.env, HONE_TOKEN: TOKEN }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = (await once(server.stdout!.setEncoding('utf8'), 'data')) as [string];
    ready = serveReadySchema.parse(JSON.parse(line));
  });

  after(async () => {
    if (server.exitCode === null) {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('show a completion with and without stop, streamed and not, a submit and the status', () => {
    const kinds = completions().map(
      ({ body }) => `${body.stream ? 'streamed' : 'whole'}${body.stop ? ' with stop' : ''}`,
    );
    assert.deepEqual(kinds, ['whole', 'whole with stop', 'streamed', 'streamed with stop']);
    assert.equal(examples.filter((example) => example.includes('/api/training/submit')).length, 1);
    assert.equal(examples.filter((example) => example.includes('/api/training/status')).length, 1);
  });

  it('answer whole completions', async () => {
    for (const { example, body } of completions().filter(({ body }) => !body.stream)) {
      const answer = completionResponseSchema.parse(JSON.parse(await shell(example)));
      assertStopped(answer, body);
    }
  });

  it('answer streamed completions token by token', async () => {
    for (const { example, body } of completions().filter(({ body }) => body.stream)) {
      const events = (await shell(example)).trim().split(/\n\n/);
      assert.equal(events.at(-1), 'data: [DONE]');
      const chunks = events.slice(0, -1).map((event) => {
        assert.match(event, /^data: /);
        return JSON.parse(event.slice('data: '.length)) as CompletionResponse;
      });
      assert.ok(chunks.length > 1, `one chunk only: ${events.join('\n')}`);
      assert.equal(new Set(chunks.map((chunk) => chunk.id)).size, 1);
      for (const chunk of chunks) assertStopped(chunk, body);
    }
  });

  it('take feedback, and the status counts it', async () => {
    const submit = examples.find((example) => example.includes('/api/training/submit'));
    const status = examples.find((example) => example.includes('/api/training/status'));
    assert.ok(submit && status);
    const before = trainingStatusSchema.parse(JSON.parse(await shell(status)));
    submitResponseSchema.parse(JSON.parse(await shell(submit)));
    const after = trainingStatusSchema.parse(JSON.parse(await shell(status)));
    assert.equal(after.stored, before.stored + 1);
  });

  /** Runs the example as it stands, but for the ports. */
  async function shell(example: string): Promise<string> {
    const script = example
      .replace('http://127.0.0.1:8081', ready.inference)
      .replace('http://127.0.0.1:8082', ready.feedback);
    const { stdout } = await run('bash', ['-c', script], { env: { ...process.env, HONE_TOKEN: TOKEN } });
    return stdout;
  }

  function completions(): { example: string; body: Body }[] {
    return examples
      .filter((example) => example.includes('/v1/completions'))
      .map((example) => ({ example, body: JSON.parse(/-d '(.*)'/s.exec(example)?.[1] ?? '') as Body }));
  }
});

function assertStopped(answer: CompletionResponse, { stop }: Body): void {
  const text = answer.choices[0]?.text ?? '';
  const stops = Array.isArray(stop) ? (stop as string[]) : typeof stop === 'string' ? [stop] : [];
  for (const word of stops) assert.ok(!text.includes(word), `${JSON.stringify(text)} goes on after a stop`);
}

function curlExamples(): string[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```sh\n(curl [\s\S]*?)^```$/gm)].map((match) => match[1]!);
}

/** The examples are for curl: where it is missing it is installed as root on Debian, or asked for. */
function ensureCurl(): void {
  const there = (): boolean => spawnSync('curl', ['--version'], { stdio: 'ignore' }).status === 0;
  if (there()) return;
  if (process.getuid?.() === 0 && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0) {
    console.log('    Installing curl from the distribution …');
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '-qq', 'curl'], { stdio: 'ignore' });
  }
  assert.ok(
    there(),
    'curl is needed to run the examples of README.md; install it (Debian: apt-get install curl).',
  );
}
