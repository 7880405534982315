import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configSchema } from '../../../trainer/config/schema.ts';
import { proxyFindings } from '../../../trainer/doctor/access.ts';
import { problemOf, type Finding } from '../../../trainer/doctor/finding.ts';
import { learningFindings, type LearningFacts } from '../../../trainer/doctor/learning.ts';
import { nativeFindings } from '../../../trainer/doctor/native.ts';
import { reportText } from '../../../trainer/doctor/report.ts';
import { companionFindings, portFindings } from '../../../trainer/doctor/services.ts';
import { readModelFile } from '../../../trainer/inference/modelFile.ts';

const FACTS: LearningFacts = {
  completions: 200,
  greedy: 0,
  heldOut: 0,
  undecided: 7,
  trained: 0,
  dropped: {},
  runs: [],
  enabled: true,
  pausedByUser: false,
  batchEvents: 16,
  companion: { trouble: null, pause: null, queued: 5, open: 2 },
};

describe('the troubleshooting of README.md', () => {
  it('shows what the doctor says', async () => {
    const said = reportText((await findings()).map(withoutPlaces));
    for (const line of shownLines()) assert.ok(said.includes(line), `${line}\n\nis not in\n\n${said}`);
    assert.equal(shownLines().length, 9);
  });
});

/** Lines of its blocks, without what is different on each computer. */
function shownLines(): string[] {
  const section = /## Troubleshooting\n([\s\S]*?)\n## /.exec(readFileSync('README.md', 'utf8'))![1]!;
  const blocks = [...section.matchAll(/```text\n([\s\S]*?)```/g)].map(([, block]) => block!);
  return blocks.flatMap((block) => block.trim().split('\n')).map(plain);
}

async function findings(): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hone-readme-'));
  const file = join(folder, 'code.gguf');
  writeFileSync(file, 'no model');
  const taken = createServer((socket) => socket.end('x')).listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const inferencePort = (taken.address() as AddressInfo).port;
  const driverless = { flavour: 'cuda', installed: true, driver: false } as const;
  const failed = { error: { code: 'gpu_unavailable', message: '' } };
  const holder = {
    v: 1,
    pid: 1,
    startedAt: 0,
    host: '127.0.0.1',
    inferencePort: null,
    feedbackPort: null,
    inferenceTokenFingerprint: 'x',
    feedbackTokenFingerprint: 'x',
  } as const;
  try {
    return [
      ...(await portFindings(configSchema.parse({ server: { inferencePort, feedbackPort: 0 } }))),
      await refusal(join(folder, 'none', 'code.gguf')),
      await refusal(file),
      ...(await companionFindings(holder, ['another'])).findings,
      ...proxyFindings({ HTTP_PROXY: 'http://proxy' }),
      ...nativeFindings(
        { parts: { flavours: { found: [driverless] }, llama: failed, ggml: failed }, crash: null },
        'cuda',
        'm',
      ),
      ...learningFindings({ ...FACTS, completions: 0, undecided: 0 }),
      ...learningFindings(FACTS),
      ...learningFindings({ ...FACTS, greedy: 190 }),
    ];
  } finally {
    taken.close();
    rmSync(folder, { recursive: true });
  }
}

async function refusal(path: string): Promise<Finding> {
  return readModelFile(path).then(
    () => assert.fail('It was taken.'),
    (error: Error) => problemOf('model', error),
  );
}

function withoutPlaces(finding: Finding): Finding {
  return { ...finding, text: plain(finding.text) };
}

function plain(text: string): string {
  return text
    .replaceAll(/\S*\/code\.gguf/g, 'FILE')
    .replaceAll(/Port \d+/g, 'Port N')
    .replaceAll(/companion \d+/g, 'companion N');
}
