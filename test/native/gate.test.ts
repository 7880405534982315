/**
 * The gate on the embedded model: it promotes what was learnt from a stream with an idiom, and refuses adapters
 * that were sabotaged in the ways that feedback can go wrong.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sample, ScoreItem, UpdateConfig } from '../../extension/common/contracts/index.ts';
import { embeddedModelPath } from '../../trainer/cli/options.ts';
import { engineText } from '../../trainer/coordinator/engineText.ts';
import { generalItems } from '../../trainer/coordinator/general.ts';
import type { TextTools } from '../../trainer/coordinator/text.ts';
import { TensorType } from '../../trainer/ggml/tensor.ts';
import { loadEngine } from '../../trainer/inference/engine.ts';
import type { Engine } from '../../trainer/inference/types.ts';
import { defaultUpdateConfig } from '../../trainer/learning/config.ts';
import { decideGate, type GateDecision } from '../../trainer/learning/gate.ts';
import { Scorer } from '../../trainer/learning/scorer.ts';
import { TokenCache } from '../../trainer/learning/tokenCache.ts';
import { loadScored } from '../../trainer/learning/adapterSet.ts';
import { runUpdate, type UpdateRequest } from '../../trainer/learning/update.ts';
import { DeviceLora, loraLayout, readLora, type Lora } from '../../trainer/model/lora.ts';
import { Network } from '../../trainer/model/network.ts';
import { createLogger } from '../../trainer/server/shared/logging.ts';
import { noise, testDevice } from './gradientCheck.ts';

const BATCH = 16;
/** A stream is two updates of a batch each. */
const TRAINED = 2 * BATCH;
const HELD_OUT = 40;
const NAMES = [
  'user',
  'order',
  'invoice',
  'ticket',
  'branch',
  'report',
  'session',
  'message',
  'device',
  'coupon',
];
const VERBS = ['load', 'save', 'delete', 'update', 'archive', 'send', 'merge', 'restore', 'copy'];

/** The idiom: every failure is told with the house's own function, which no public code has. */
const documents = NAMES.flatMap((name) => VERBS.map((verb) => ({ name, verb }))).map(({ name, verb }) => ({
  prefix: `export async function ${verb}${name[0]!.toUpperCase()}${name.slice(1)}(id: string) {\n  try {\n    return await store.${verb}(id);\n  } catch (error) {\n    `,
  suffix: '\n  }\n}\n',
  path: `src/${name}.ts`,
  typed: `return tellHouse('${verb}-${name}', error);`,
}));

type Adapter = UpdateRequest['parent'];
const BASE: Adapter = { version: 0, path: null, scale: 1 };

describe('the gate, on the embedded model', function () {
  this.timeout(600_000);
  let folder: string;
  let engine: Engine;
  let text: TextTools;
  let network: Network;
  let cache: TokenCache;
  let scorer: Scorer;
  let config: UpdateConfig;
  let heldOut: ScoreItem[];
  let general: ScoreItem[];
  let prompts: number[][];
  let good: Adapter;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hone-gate-'));
    const modelPath = embeddedModelPath();
    engine = await loadEngine({
      modelPath,
      gpu: 'cpu',
      threads: 1,
      dataDir: null,
      logger: createLogger('silent'),
    });
    text = engineText(engine, 96);
    config = { ...defaultUpdateConfig(engine.model.layers), weightType: 'bf16' };
    network = new Network(testDevice(), modelPath, {
      firstLayer: config.firstLayer,
      forward: 'file',
      transposed: TensorType.BF16,
    });
    cache = new TokenCache(network, 5e8);
    scorer = new Scorer(network, cache, engine.model.endTokens);
    prompts = documents.map((document) => text.documentTokens(document));
    heldOut = documents.slice(TRAINED, TRAINED + HELD_OUT).map(({ typed }, i) => ({
      id: `held ${i}`,
      prompt: prompts[TRAINED + i]!,
      target: engine.tokenize(typed),
    }));
    general = generalItems(text);
  });
  after(async () => {
    network.dispose();
    await engine.dispose();
    rmSync(folder, { recursive: true });
  });

  const corrected = (count: number, textOf: (i: number) => string): Sample[] =>
    documents.slice(0, count).map((_, i) => ({
      eventId: `event ${i}`,
      prompt: prompts[i]!,
      supervised: {
        source: 'correction',
        tokens: [...engine.tokenize(textOf(i)), engine.model.endOfText],
        weight: 1,
      },
    }));

  /** An update from the parent, a batch at a time; the gate decides on the last candidate, against the parent. */
  const trainAndDecide = async (
    name: string,
    samples: Sample[],
    from: Adapter,
  ): Promise<{ decision: GateDecision; adapter: Adapter }> => {
    let parent = from;
    let reduced: boolean | undefined;
    for (let first = 0; first < samples.length; first += BATCH) {
      const version = parent.version + 1;
      const candidatePath = join(folder, `${name}-${version}.gguf`);
      const { gate, figures } = await runUpdate(
        {
          type: 'update',
          id: name,
          samples: samples.slice(first, first + BATCH),
          parent,
          adapters: [parent],
          candidatePath,
          candidateVersion: version,
          heldOut,
          general: [],
          config,
          seed: version,
        },
        { network, cache, scorer, onProgress: () => {} },
      );
      parent = { version, path: candidatePath, scale: 1 };
      reduced = gate.reduced;
      console.log(`      ${name}: ${figures['gate/served_share']} of what was trained is served`);
    }
    const lora = readLora(network.device.ggml, parent.path!, network.architecture);
    return { decision: await decide(name, lora, 1, from, reduced), adapter: parent };
  };

  /** Lets the gate decide on an adapter as it is, against the one in service. */
  const decide = async (
    name: string,
    lora: Lora,
    scale: number,
    running: Adapter = BASE,
    reduced?: boolean,
  ): Promise<GateDecision> => {
    const device = new DeviceLora(network.device, lora, { scale, trainable: false });
    const adapter = { lora: device, path: `${name} ${scale} ${running.version}` };
    const service = loadScored(network, running);
    const decision = decideGate({
      running: await scorer.score(heldOut, service),
      candidate: await scorer.score(heldOut, adapter),
      generalBase: await scorer.score(general, null),
      generalCandidate: await scorer.score(general, adapter),
      reduced,
    });
    device.dispose();
    service?.lora.dispose();
    console.log(`      ${name}: ${decision.decision}. ${decision.reason}`);
    return decision;
  };

  const loraOf = (adapter: Adapter): Lora =>
    readLora(network.device.ggml, adapter.path!, network.architecture);

  it('promotes what was learnt from what the developer typed', async () => {
    const { decision, adapter } = await trainAndDecide(
      'good',
      corrected(TRAINED, (i) => documents[i]!.typed),
      BASE,
    );
    good = adapter;
    assert.equal(decision.decision, 'promoted');
    assert.ok(decision.figures['gate/gain_lower']! > 0.1);
  });

  it('refuses a random adapter', async () => {
    const layout = loraLayout(network.architecture, config);
    const values = noise(layout.parameters, 11).map((x) => 0.1 * x);
    for (const running of [BASE, good])
      assert.equal((await decide('random', { layout, values }, 1, running)).decision, 'rejected');
  });

  it('refuses the good adapter scaled by four', async () => {
    for (const running of [BASE, good])
      assert.equal((await decide('scaled', loraOf(good), 4, running)).decision, 'rejected');
  });

  const refusesTaught = async (name: string, textOf: (i: number) => string): Promise<void> => {
    const { decision } = await trainAndDecide(name, corrected(TRAINED, textOf), BASE);
    assert.equal(decision.decision, 'rejected');
  };

  it('refuses swapped labels: what was rejected taught as right', async () => {
    const rejected: string[] = [];
    for (const prompt of prompts.slice(0, TRAINED)) {
      const generated = await engine.generate({
        prompt,
        maxTokens: 16,
        temperature: 0,
        topP: 1,
        topK: 0,
        repetitionPenalty: 1,
        stop: ['\n'],
      });
      rejected.push(generated.text || '}');
    }
    await refusesTaught('swapped', (i) => rejected[i]!);
  });

  it('refuses a model taught to say nothing', () => refusesTaught('nothing', () => ''));

  it('refuses a model taught to close a bracket', () => refusesTaught('bracket', () => ')'));
});
