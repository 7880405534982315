/** What a configuration file says is what the processes do. */
import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGguf } from '../../trainer/ggml/gguf.ts';
import { loadGgml } from '../../trainer/ggml/library.ts';
import { CompanionProcess, runHone } from '../fixtures/companionProcess.ts';
import { freePort } from '../fixtures/freePort.ts';
import { temporaryFolder } from '../fixtures/tinyEngine.ts';
import { writeTinyModel } from '../fixtures/tinyModel.ts';

interface Completed {
  choices: { text: string }[];
  usage: { completion_tokens: number };
}

describe('the configuration file of hone serve and hone train', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const yaml = join(folder, 'hone.yaml');
  let companion: CompanionProcess | null = null;
  let ports: number[];

  /** The same things under Hone's names and under the recipe's. */
  const writeConfig = (change: { learningRate: number; train: boolean }) =>
    writeFileSync(
      yaml,
      `
dataDir: ${dataDir}
logLevel: warn
model: { gpu: cpu, threads: 1 }
rollout: { model: { model_path: ${join(folder, 'tiny.gguf')} } }
server: { inferencePort: ${ports[0]}, tracking_rollout: { port: ${ports[1]} } }
cluster: { num_nodes: 1 }
inference: { temperature: 0, maxTokens: 3 }
data: { rollout_batch_size: 4 }
training:
  enabled: ${change.train}
  seed: 5
  update: { alpha: 6, targets: [q, v], firstLayer: 1, correctionWeight: 0.75, policyWeight: 0.3, weightType: f32 }
algorithm: { ratio_clip_eps: 0.125, kl_beta: 0.5 }
actor: { model: { lora_rank: 2 }, optim: { lr: ${change.learningRate}, adam_beta2: 0.9, clip_grad: 0.8 } }
`,
    );
  const complete = async (body: object): Promise<Completed> => {
    const response = await fetch(`${companion!.ready.inference}/v1/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'const value = ', ...body }),
    });
    return (await response.json()) as Completed;
  };
  const feed = async (name: string, events: number) => {
    for (let index = 0; index < events; index++) {
      const response = await companion!.post('/api/training/submit', {
        completionId: `${name}${index}`,
        prompt: `const ${name}${index} = `,
        completion: 'one;',
        accepted: true,
      });
      assert.equal(response.status, 200);
    }
  };
  const runs = (): { config: Record<string, unknown>; figures: Record<string, number>; events: number }[] => {
    const database = new Database(join(dataDir, 'experience.db'), { readonly: true });
    const rows = database.prepare('SELECT config, figures, events FROM runs ORDER BY rowid').all() as {
      config: string;
      figures: string;
      events: number;
    }[];
    database.close();
    return rows.map(({ config, figures, events }) => ({
      config: JSON.parse(config) as Record<string, unknown>,
      figures: JSON.parse(figures) as Record<string, number>,
      events,
    }));
  };

  const adapterFile = (): string => {
    const database = new Database(join(dataDir, 'experience.db'), { readonly: true });
    const { file } = database.prepare('SELECT file FROM adapters').get() as { file: string };
    database.close();
    return join(dataDir, 'checkpoints', file);
  };

  before(async () => {
    writeTinyModel(join(folder, 'tiny.gguf'));
    ports = [await freePort(), await freePort()];
  });
  after(async () => {
    await companion?.kill();
    rmSync(folder, { recursive: true });
  });

  it('decides on ports, model, sampling and every step of an update', async () => {
    writeConfig({ learningRate: 0.004, train: true });
    companion = await CompanionProcess.startAsSaid(['--config', yaml, '--token', 'secret']);
    assert.equal(companion.ready.inference, `http://127.0.0.1:${ports[0]}`);
    assert.equal(companion.ready.feedback, `http://127.0.0.1:${ports[1]}`);

    const short = await complete({ seed: 1 });
    assert.ok(short.usage.completion_tokens <= 3, JSON.stringify(short));
    for (const seed of [2, 3])
      assert.equal((await complete({ seed })).choices[0]!.text, short.choices[0]!.text);

    await feed('a', 12);
    await companion.until(({ lastRun }) => lastRun !== null);
    await companion.kill('SIGTERM');
    const [first] = runs();
    assert.deepEqual(first!.config, {
      ...first!.config,
      rank: 2,
      alpha: 6,
      targets: ['q', 'v'],
      firstLayer: 1,
      learningRate: 0.004,
      beta2: 0.9,
      maxGradNorm: 0.8,
      correctionWeight: 0.75,
      policyWeight: 0.3,
      klWeight: 0.5,
      clipLow: 0.125,
      clipHigh: 0.125,
      weightType: 'f32',
    });
    assert.ok(first!.events >= 4 && first!.events < 12, String(first!.events));
    const { tensors } = readGguf(loadGgml('cpu'), adapterFile());
    assert.deepEqual(
      [...tensors.keys()].sort(),
      [1, 2].flatMap((layer) =>
        ['q', 'v'].flatMap((target) =>
          ['a', 'b'].map((half) => `blk.${layer}.attn_${target}.weight.lora_${half}`),
        ),
      ),
    );
    assert.equal(tensors.get('blk.1.attn_q.weight.lora_a')!.shape[1], 2);
  });

  it('stops what it switches off, and gives way to options', async () => {
    writeConfig({ learningRate: 0.004, train: false });
    companion = await CompanionProcess.startAsSaid([
      '--config',
      yaml,
      '--token',
      'secret',
      '--inference-port',
      '0',
    ]);
    assert.notEqual(companion.ready.inference, `http://127.0.0.1:${ports[0]}`);
    assert.equal(companion.ready.feedback, `http://127.0.0.1:${ports[1]}`);
    const before = runs().length;
    await feed('b', 8);
    await companion.kill('SIGTERM');
    assert.equal(runs().length, before);
  });

  it('decides what hone train does, and says what of it is not used', async () => {
    const train = async (...options: string[]) => {
      const { code, errors } = await runHone(['train', '--config', yaml, ...options]);
      assert.equal(code, 0, errors);
      return { errors, run: runs().at(-1)! };
    };
    writeConfig({ learningRate: 0, train: true });
    const { errors, run } = await train();
    assert.equal(run.figures['charts/learning_rate'], 0);
    assert.match(errors, /hone\.yaml: these keys have no meaning here and are not used: cluster\./);
  });

  it('is the other’s when a companion makes the update, and that is said', async () => {
    companion = await CompanionProcess.startAsSaid(['--config', yaml, '--token', 'secret']);
    const asked = await runHone(['train', '--config', yaml, '--token', 'secret']);
    assert.equal(asked.code, 0, asked.errors);
    assert.match(
      asked.errors,
      /The companion \d+ makes this update, with the configuration that it was started with/,
    );
  });

  it('is shown in the help', async () => {
    const { output } = await runHone(['train', '--help']);
    assert.match(
      output.replace(/\s+/g, ' '),
      /--config <file> configuration \(YAML or JSON, .*options given here win over it/,
    );
  });
});
