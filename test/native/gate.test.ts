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
import { runUpdate } from '../../trainer/learning/update.ts';
import { DeviceLora, loraLayout, readLora, type Lora } from '../../trainer/model/lora.ts';
import { Network } from '../../trainer/model/network.ts';
import { createLogger } from '../../trainer/server/shared/logging.ts';
import { noise, testDevice } from './gradientCheck.ts';

const TRAINED = 16;
const HELD_OUT = 40;
const GENERAL = 6;
const NAMES = ['user', 'order', 'invoice', 'ticket', 'branch', 'report', 'session', 'message'];
const VERBS = ['load', 'save', 'delete', 'update', 'archive', 'send', 'merge', 'restore', 'copy'];

/** The idiom: every failure is told with the house's own function, which no public code has. */
const documents = NAMES.flatMap((name) => VERBS.map((verb) => ({ name, verb }))).map(({ name, verb }) => ({
  prefix: `export async function ${verb}${name[0]!.toUpperCase()}${name.slice(1)}(id: string) {\n  try {\n    return await store.${verb}(id);\n  } catch (error) {\n    `,
  suffix: '\n  }\n}\n',
  path: `src/${name}.ts`,
  typed: `return tellHouse('${verb}-${name}', error);`,
}));

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
  let good: Lora;

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
    // Three epochs: as far as an adapter comes in three updates.
    config = { ...defaultUpdateConfig(engine.model.layers), weightType: 'bf16', epochs: 3 };
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
    general = generalItems(text).slice(0, GENERAL);
  });
  after(async () => {
    network.dispose();
    await engine.dispose();
    rmSync(folder, { recursive: true });
  });

  const corrected = (textOf: (i: number) => string): Sample[] =>
    documents.slice(0, TRAINED).map((_, i) => ({
      eventId: `event ${i}`,
      prompt: prompts[i]!,
      supervised: {
        source: 'correction',
        tokens: [...engine.tokenize(textOf(i)), engine.model.endOfText],
        weight: 1,
      },
    }));

  /** Trains a candidate on the samples and lets the gate decide. */
  const trainAndDecide = async (
    name: string,
    samples: Sample[],
  ): Promise<{ decision: GateDecision; lora: Lora }> => {
    const candidatePath = join(folder, `${name}.gguf`);
    const base = { version: 0, path: null, scale: 1 };
    const { gate } = await runUpdate(
      {
        type: 'update',
        id: name,
        samples,
        parent: base,
        adapters: [base],
        candidatePath,
        candidateVersion: 1,
        heldOut,
        general,
        config,
        seed: 1,
      },
      { network, cache, scorer, onProgress: () => {} },
    );
    return tell(name, decideGate(gate), readLora(network.device.ggml, candidatePath, network.architecture));
  };

  /** Lets the gate decide on an adapter as it is. */
  const decide = async (name: string, lora: Lora, scale: number): Promise<GateDecision> => {
    const device = new DeviceLora(network.device, lora, { scale, trainable: false });
    const adapter = { lora: device, path: name };
    const decision = decideGate({
      running: await scorer.score(heldOut, null),
      candidate: await scorer.score(heldOut, adapter),
      generalBase: await scorer.score(general, null),
      generalCandidate: await scorer.score(general, adapter),
    });
    device.dispose();
    return tell(name, decision, lora).decision;
  };

  it('promotes what was learnt from what the developer typed', async () => {
    const { decision, lora } = await trainAndDecide(
      'good',
      corrected((i) => documents[i]!.typed),
    );
    good = lora;
    assert.equal(decision.decision, 'promoted');
    assert.ok(decision.figures['gate/gain_lower']! > 0.1);
  });

  it('refuses a random adapter', async () => {
    const layout = loraLayout(network.architecture, config);
    const values = noise(layout.parameters, 11).map((x) => 0.1 * x);
    assert.equal((await decide('random', { layout, values }, 1)).decision, 'rejected');
  });

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
    const { decision } = await trainAndDecide(
      'swapped',
      corrected((i) => rejected[i]!),
    );
    assert.equal(decision.decision, 'rejected');
  });

  it('refuses the good adapter scaled by four', async () => {
    assert.equal((await decide('scaled', good, 4)).decision, 'rejected');
  });

  it('refuses a model taught to say nothing', async () => {
    const { decision } = await trainAndDecide(
      'nothing',
      corrected(() => ''),
    );
    assert.equal(decision.decision, 'rejected');
  });

  it('refuses a model taught to close a bracket', async () => {
    const { decision } = await trainAndDecide(
      'bracket',
      corrected(() => ')'),
    );
    assert.equal(decision.decision, 'rejected');
  });
});

function tell(name: string, decision: GateDecision, lora: Lora): { decision: GateDecision; lora: Lora } {
  console.log(`      ${name}: ${decision.decision}. ${decision.reason}`);
  return { decision, lora };
}
