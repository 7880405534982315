import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CompanionProcess } from '../fixtures/companionProcess.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';
import { openStore, type Store } from '../../trainer/store/store.ts';

interface Recorded {
  headers: Record<string, string>;
  body: Record<string, unknown>;
}
interface Chunk {
  id: string;
  choices: { text: string }[];
}

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/clients', name), 'utf8'));
const { completion, tracking } = fixture('continue.json') as { completion: Recorded; tracking: Recorded };
/** As its published core sent it. */
const wire = fixture('continueRecorded.json') as { completion: Recorded; outcome: Record<string, unknown> };
const TOKEN = 'a-token-for-continue';
const HANG_UPS = 20;
/** After which the companion has heard of a closed connection. */
const HEARD_MS = 300;

/** The real companion, learner included; what it stored is looked at when it has ended. */
describe("Continue's requests, replayed", function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  let companion: CompanionProcess;

  before(async () => {
    const modelPath = join(folder, 'tiny.gguf');
    // With this seed it has something to say, at a place that isn't held out.
    writeTinyModel(modelPath, { context: 2048, seed: 3 });
    const args = ['--data-dir', dataDir, '--model', modelPath, '--gpu', 'cpu', '--threads', '1'];
    companion = await CompanionProcess.start([
      ...[...args, '--batch-events', '1', '--token', TOKEN, '--log-level', 'error', '--seed', '1'],
    ]);
  });
  after(async () => {
    await companion.kill();
    rmSync(folder, { recursive: true });
  });

  it('are answered token by token, whatever stop strings and length it asks for', async () => {
    const { text, id } = await stream(completion.headers, completion.body);
    assert.notEqual(text, '');
    assert.match(id, /^[0-9a-f-]{36}$/);
    for (const stop of completion.body.stop as string[]) assert.ok(!text.includes(stop), text);
  });

  it('are joined by their prompt and what is left of the text, and trained once', async () => {
    const before = await companion.status();
    const { text } = await stream(completion.headers, completion.body);
    const report = { ...tracking.body, completion: firstLine(text) };
    assert.equal((await submit(tracking.headers, report)).status, 200);
    assert.equal((await submit(tracking.headers, report)).status, 200, 'the same again');
    const after = await companion.until((status) => status.trained === before.trained + 1);
    assert.equal(after.stored, before.stored + 1);
    assert.equal(after.lastRun?.events, 1);
    assert.notEqual(after.lastRun.decision, 'failed');
  });

  it('are joined when it hung up because it had enough', async () => {
    const { prompt, text } = await hangUp();
    const report = {
      ...{ ...tracking.body, prompt, completion: text, accepted: false },
      completionId: '0b8f4f0e-6f0e-4c7b-9b5e-2d1c7c9f5a11',
    };
    assert.equal((await submit(tracking.headers, report)).status, 200);
    assert.equal((await companion.status()).stored, 2);
  });

  it('that its published core sent are answered, and its outcome is joined', async () => {
    const headers = { ...wire.completion.headers, authorization: `Bearer ${TOKEN}` };
    const { text } = await stream(headers, wire.completion.body);
    for (const stop of wire.completion.body.stop as string[]) assert.ok(!text.includes(stop), text);
    const { stored } = await companion.status();
    const report = { ...wire.outcome, completion: firstLine(text), accepted: true };
    const completionId = '0b8f4f0e-6f0e-4c7b-9b5e-2d1c7c9f5a12';
    assert.equal((await submit(tracking.headers, { ...report, completionId })).status, 200);
    assert.equal((await companion.status()).stored, stored + 1);
  });

  it('are refused without the token of each service', async () => {
    const headers = { ...completion.headers, Authorization: 'Bearer wrong' };
    const completed = await fetch(`${companion.ready.inference}/v1/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(completion.body),
    });
    assert.equal(completed.status, 401);
    assert.equal((await submit({ ...tracking.headers, Authorization: 'x' }, tracking.body)).status, 401);
  });

  it('leave the recorded completions of the project, and none beside them', async () => {
    await companion.kill('SIGTERM');
    const store = openStore(dataDir);
    try {
      const joined = joinedCompletions(store);
      assert.deepEqual(
        joined.map(({ source, workspaceKey }) => ({ source, workspaceKey })),
        [
          { source: 'served', workspaceKey: 'test-project' },
          { source: 'served', workspaceKey: 'test-project' },
        ],
      );
      assert.equal(joined[0]!.sampling.temperature, completion.body.temperature);
      assert.equal(joined[1]!.finishReason, 'cancelled');
    } finally {
      store.close();
    }
  });

  function joinedCompletions(store: Store) {
    const ids = ['0', '1'].map((last) => `flat:0b8f4f0e-6f0e-4c7b-9b5e-2d1c7c9f5a1${last}`);
    return ids.map((id) => store.completions.get(store.events.completionOf(id)!)!);
  }

  function submit(headers: Record<string, string>, body: object): Promise<Response> {
    return fetch(`${companion.ready.feedback}/api/training/submit`, {
      method: 'POST',
      headers: withToken(headers),
      body: JSON.stringify(body),
    });
  }

  /** A model this small may be done before it hears that nobody listens: then another prompt is tried. */
  async function hangUp(): Promise<{ prompt: string; text: string }> {
    for (let attempt = 0; attempt < HANG_UPS; attempt++) {
      const prompt = String(completion.body.prompt).replace('items.re<', `items.map${attempt}(<`);
      const body = { ...completion.body, prompt, stop: [], temperature: 1, seed: attempt };
      const { text } = await stream(completion.headers, body, 2);
      await setTimeout(HEARD_MS);
      if (text !== '' && (await wasCancelled())) return { prompt, text };
    }
    return assert.fail('It was always done before.');
  }

  async function wasCancelled(): Promise<boolean> {
    const headers = withToken({ Authorization: 'Bearer TOKEN' });
    const metrics = await (await fetch(`${companion.ready.inference}/metrics`, { headers })).text();
    return /^hone_completions_cancelled_total 1$/m.test(metrics);
  }

  /** The whole text, or what came with the first `chunks`, after which the connection is closed. */
  async function stream(headers: Record<string, string>, body: object, chunks = Infinity) {
    const controller = new AbortController();
    const response = await fetch(`${companion.ready.inference}/v1/completions`, {
      method: 'POST',
      headers: withToken(headers),
      body: JSON.stringify(body),
      signal: controller.signal,
    });
    assert.equal(response.status, 200);
    let seen = '';
    const decoder = new TextDecoder();
    for await (const piece of response.body!) {
      seen += decoder.decode(piece as Uint8Array, { stream: true });
      if (seen.split('\n\n').length > chunks) break;
    }
    controller.abort();
    const events = seen
      .split('\n\n')
      .filter((event) => event.startsWith('data: {'))
      .map((event) => JSON.parse(event.slice('data: '.length)) as Chunk);
    return { id: events[0]!.id, text: events.map((event) => event.choices[0]!.text).join('') };
  }
});

function withToken(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('TOKEN', TOKEN)]),
  );
}

/** As it shows a completion in the middle of a line. */
function firstLine(text: string): string {
  return text.split('\n').find((line) => line !== '') ?? text;
}
