import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, type Override } from '../../../trainer/config/load.ts';
import { ALIASES, isOf, UNUSED, type Run } from '../../../trainer/config/recipe.ts';
import { kindOf, nearestKey, OWN_KEYS } from '../../../trainer/config/names.ts';
import { configSchema, type Config } from '../../../trainer/config/schema.ts';

describe('the configuration file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hone-config-'));
  const path = join(folder, 'hone.yaml');
  after(() => rmSync(folder, { recursive: true }));

  const load = (text: string, overrides: Override[] = [], run: Run = 'companion') => {
    writeFileSync(path, text);
    return loadConfig(path, overrides, run);
  };
  const refusal = (text: string, overrides: Override[] = [], run?: Run): string => {
    try {
      load(text, overrides, run);
    } catch (error) {
      return (error as Error).message.replaceAll(folder, 'F');
    }
    throw new Error('It was taken.');
  };
  const at = (config: Config, key: string): unknown =>
    key.split('.').reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], config);

  it('is read as YAML and as JSON alike, and sets only what it says', () => {
    const yaml = load('training:\n  batchEvents: 4\n  update: { learningRate: 2e-4 }\n').config;
    const json = load('{"training": {"batchEvents": 4, "update": {"learningRate": 0.0002}}}').config;
    assert.deepEqual(yaml, json);
    const expected = configSchema.parse({});
    expected.training.batchEvents = 4;
    expected.training.update.learningRate = 0.0002;
    assert.deepEqual(yaml, expected);
  });

  it('may be empty, of comments, absent, or have empty sections', () => {
    for (const text of ['', '# nothing yet\n', 'training:\n', 'training:\n  update:\n'])
      assert.deepEqual(load(text).config, configSchema.parse({}), text);
    assert.deepEqual(loadConfig(undefined).config, configSchema.parse({}));
  });

  it('has paths from the home folder', () => {
    assert.equal(load('model: { path: ~/m.gguf }').config.model.path, join(homedir(), 'm.gguf'));
    assert.equal(load('dataDir: "~"').config.dataDir, homedir());
    const { judge } = load('judge: { outputDir: ~/out, data: { trainPaths: [~/a.jsonl, b.jsonl] } }').config;
    assert.deepEqual(judge.outputDir, join(homedir(), 'out'));
    assert.deepEqual(judge.data.trainPaths, [join(homedir(), 'a.jsonl'), 'b.jsonl']);
    assert.equal(load('dataDir: data/~/x').config.dataDir, 'data/~/x');
  });

  describe('takes the names of the recipe', () => {
    const value = (name: string, key: string): unknown => {
      const sample: Record<string, unknown> = {
        'runner.output_dir': 'somewhere',
        'data.train_data_paths': ['a.jsonl'],
        'data.val_data_paths': ['b.jsonl', 'c.jsonl'],
        'algorithm.sampling_params.temperature': 0.5,
        'algorithm.group_size': 4,
        'reward.reward_type': 'code_offline',
        'actor.model.lora_rank': 32,
      };
      if (key === 'model.path') return 'm.gguf';
      if (key === 'server.host') return '::1';
      return sample[name] ?? (Number.isInteger(OWN_KEYS.get(key)!.default) ? 300 : 0.5);
    };
    const runOf = (key: string): Run => (isOf('companion', key) ? 'companion' : 'judge');
    for (const { name, keys, values } of ALIASES) {
      for (const key of keys) {
        it(`${name} as ${key}`, () => {
          assert.ok(OWN_KEYS.has(key), `${key} is a key`);
          const given = value(name, key);
          const nested = name
            .split('.')
            .reduceRight<unknown>((node, part) => ({ [part]: node }), given) as object;
          const { config, warnings } = load(JSON.stringify(nested), [], runOf(key));
          assert.deepEqual(at(config, key), values?.[String(given)] ?? given);
          assert.notDeepEqual(at(config, key), at(configSchema.parse({}), key));
          assert.deepEqual(warnings, []);
        });
      }
    }

    it('for the run that reads them, whatever they would be for the other', () => {
      const text = 'algorithm: { group_size: 1, kl_beta: 0.3 }\nrunner: { output_dir: out, max_epochs: 3 }';
      const { config } = load(text);
      assert.equal(config.training.update.klWeight, 0.3);
      assert.equal(config.dataDir, 'out');
      assert.deepEqual(config.judge, configSchema.parse({}).judge);
      assert.match(refusal(text, [], 'judge'), /"algorithm\.group_size" is 1\. Too small/);
      const judged = load(text.replace('group_size: 1', 'group_size: 4'), [], 'judge').config;
      assert.deepEqual(
        [judged.judge.update.klWeight, judged.judge.outputDir, judged.judge.schedule.epochs],
        [0.3, 'out', 3],
      );
      assert.deepEqual([judged.training, judged.dataDir], [configSchema.parse({}).training, undefined]);
    });

    it('the specific one before the general', () => {
      const both = load('algorithm: { ratio_clip_eps: 0.4, clip_ratio_high: 0.5 }').config.training.update;
      assert.deepEqual([both.clipLow, both.clipHigh], [0.4, 0.5]);
      const none = load('algorithm: { ratio_clip_eps: 0.4, clip_ratio_high: null }').config.training.update;
      assert.deepEqual([none.clipLow, none.clipHigh], [0.4, 0.4]);
    });

    it('with references to other keys', () => {
      const text =
        'runner: { output_dir: out, experiment_name: a }\nrollout: { model: { model_path: "${runner.output_dir}/${runner.experiment_name}.gguf" } }\nactor: { model: { model_path: "${rollout.model.model_path}" } }\n';
      const { config } = load(text);
      assert.equal(config.model.path, 'out/a.gguf');
    });

    it('with references inside lists, which may lead on to lists', () => {
      const text =
        'data: { train_data_paths: ["${runner.output_dir}/a.jsonl", b.jsonl], val_data_paths: "${data.train_data_paths}" }\nrunner: { output_dir: out }';
      const { judge } = load(text, [], 'judge').config;
      assert.deepEqual(
        [judge.data.trainPaths, judge.data.validationPaths],
        [
          ['out/a.jsonl', 'b.jsonl'],
          ['out/a.jsonl', 'b.jsonl'],
        ],
      );
      const circle = load(
        'data: { train_data_paths: ["${data.train_data_paths}", "${data.train_data_paths}"] }',
      );
      assert.match(circle.warnings.join(), /not used: data\.train_data_paths\./);
    });

    it('and says which expressions it does not evaluate', () => {
      const text =
        'algorithm: { sampling_params: { max_new_tokens: "${subtract:8,4}" } }\ndata: { seed: "${data.seed}" }';
      const { config, warnings } = load(text);
      assert.equal(config.inference.maxTokens, 64);
      assert.equal(config.training.seed, 1);
      assert.match(
        warnings.join(),
        /expression.*not used: algorithm\.sampling_params\.max_new_tokens, data\.seed\./,
      );
      assert.match(
        refusal('inference:\n  maxTokens: ${subtract:8,4}\n'),
        /^F\/hone\.yaml:2: "inference\.maxTokens" is "\$\{subtract:8,4\}", which can't be evaluated/,
      );
    });

    it('and lists what has no meaning here, sections as one', () => {
      const { config, warnings } = load(
        'cluster: { num_nodes: 1, x: { y: 1 } }\nactor: { fsdp_config: { strategy: fsdp }, optim: { lr: 0.01, bf16: true } }\nrollout: { vllm: null }',
      );
      assert.equal(config.training.update.learningRate, 0.01);
      assert.equal(warnings.length, 1);
      assert.match(
        warnings[0]!,
        /hone\.yaml: these keys have no meaning here and are not used: cluster, actor\.fsdp_config, actor\.optim\.bf16, rollout\.vllm\.$/,
      );
    });

    it('beside its own, when they agree', () => {
      assert.equal(
        load('training: { update: { learningRate: 1e-3 } }\nactor: { optim: { lr: 0.001 } }').config.training
          .update.learningRate,
        0.001,
      );
      assert.equal(
        refusal('training: { update: { learningRate: 1e-4 } }\nactor:\n  optim: { lr: 0.001 }'),
        'F/hone.yaml:3: "actor.optim.lr" is 0.001 and "training.update.learningRate" is 0.0001, but both mean training.update.learningRate. Give one of them, or both the same value.',
      );
      assert.match(
        refusal('algorithm:\n  ratio_clip_eps: 0.2\ntraining: { update: { clipHigh: 0.3 } }'),
        /:2: "algorithm\.ratio_clip_eps" is 0\.2 and "training\.update\.clipHigh" is 0\.3/,
      );
      assert.match(refusal('rollout: { model_dir: a, model: { model_path: b } }'), /both mean model\.path/);
    });

    it('which have no name twice, and none of ours', () => {
      for (const { name, unless } of ALIASES) {
        assert.equal(kindOf(name), 'alias', name);
        if (unless !== undefined) assert.equal(kindOf(unless), 'alias', unless);
      }
      assert.equal(new Set(UNUSED).size, UNUSED.length);
      for (const name of UNUSED) {
        assert.equal(kindOf(name), 'unused', name);
        for (const above of UNUSED)
          assert.ok(!name.startsWith(`${above}.`), `${name} is covered by ${above}`);
      }
    });
  });

  describe('is refused, with the place,', () => {
    const cases: [string, string][] = [
      ['trainning: 1', 'F/hone.yaml:1: There is no key "trainning". Nearest: training.'],
      [
        'training:\n  update:\n    learningrate: 0.1\n',
        'F/hone.yaml:3: There is no key "training.update.learningrate". Nearest: training.update.learningRate.',
      ],
      [
        'learningRate: 1',
        'F/hone.yaml:1: There is no key "learningRate". Nearest: judge.update.learningRate.',
      ],
      [
        'actor: { optim: { lrr: 1 } }',
        'F/hone.yaml:1: There is no key "actor.optim.lrr". Nearest: actor.optim.lr.',
      ],
      ['__proto__: { x: 1 }', 'F/hone.yaml:1: There is no key "__proto__". Nearest: model.'],
      [
        'model:\n  pth: a\nserver:\n  hots: b\n',
        'F/hone.yaml:2: There is no key "model.pth". Nearest: model.path.\nF/hone.yaml:4: There is no key "server.hots". Nearest: server.host.',
      ],
      ['training: 4', 'F/hone.yaml:1: "training" is 4, and keys with values are wanted there.'],
      ['training: [a]', 'F/hone.yaml:1: "training" is ["a"], and keys with values are wanted there.'],
      ['- 1', 'F/hone.yaml: Keys with values are wanted, as in "training: { batchEvents: 16 }".'],
      [
        'a: [1',
        'F/hone.yaml:1: This is neither YAML nor JSON: Flow sequence in block collection must be sufficiently indented and end with a ]',
      ],
      ['seed: 1\nseed: 2', 'F/hone.yaml:2: This is neither YAML nor JSON: Map keys must be unique'],
    ];
    for (const [text, message] of cases) it(JSON.stringify(text), () => assert.equal(refusal(text), message));

    const wrong: [string, RegExp][] = [
      [
        'training:\n  batchEvents: many\n',
        /^F\/hone\.yaml:2: "training\.batchEvents" is "many"\. Invalid input: expected number, received string\. training\.batchEvents: Eligible events that start an update\.$/,
      ],
      [
        'training: { batchEvents: 0 }',
        /"training\.batchEvents" is 0\. Too small: expected number to be >=1\./,
      ],
      ['training: { batchEvents: 1.5 }', /is 1\.5\. Invalid input: expected int/],
      [
        'training: { update: { targets: [q, z] } }',
        /"training\.update\.targets\.1" is "z"\. Invalid option: expected one of "q"/,
      ],
      [
        'actor: { optim: { lr: fast } }',
        /:1: "actor\.optim\.lr" is "fast"\. Invalid input: expected number, received string\. training\.update\.learningRate:/,
      ],
      ['model: { gpu: cude }', /"model\.gpu" is "cude"\. Invalid option: expected one of "auto"\|"cpu"/],
      ['dataDir: "a\\0b"', /:1: "dataDir" is "a\\u0000b"\. No path has a NUL character\./],
      ['dataDir: null', /"dataDir" is null\. Invalid input: expected string, received null/],
      ['server: { inferencePort: 70000 }', /is 70000\. Too big: expected number to be <=65535/],
    ];
    for (const [text, message] of wrong) it(JSON.stringify(text), () => assert.match(refusal(text), message));

    it('when it is not there', () => {
      assert.throws(
        () => loadConfig(join(folder, 'none.yaml')),
        /none\.yaml: The configuration can't be read: ENOENT/,
      );
    });

    it('when it holds itself', () => {
      for (const text of ['training: { update: { targets: &x [*x] } }', 'cluster: &x { a: [*x] }'])
        assert.match(refusal(text), /hone\.yaml: An alias \(\*name\) stands inside of what it stands for\./);
    });

    it('when it repeats itself without end', () => {
      const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
      for (let level = 0; level < 8; level++) {
        const [above, name] = [String.fromCharCode(97 + level), String.fromCharCode(98 + level)];
        bomb.push(`${name}: &${name} [${Array(9).fill(`*${above}`).join(',')}]`);
      }
      assert.match(refusal(bomb.join('\n')), /hone\.yaml: Excessive alias count/);
    });
  });

  describe('gives way to the command line', () => {
    const override = (key: string, value: unknown): Override => ({ key, value, option: '--option' });

    it('for what is given there, and for nothing else', () => {
      const text =
        'training: { batchEvents: 4, seed: 9 }\nactor: { optim: { lr: 0.5 } }\nserver: { host: "::1" }';
      const { config } = load(text, [
        override('training.batchEvents', 8),
        override('server.host', '127.0.0.2'),
      ]);
      assert.deepEqual(
        [
          config.training.batchEvents,
          config.training.seed,
          config.training.update.learningRate,
          config.server.host,
        ],
        [8, 9, 0.5, '127.0.0.2'],
      );
    });

    it('also where the file holds something wrong', () => {
      assert.equal(load('training: { seed: x }', [override('training.seed', 3)]).config.training.seed, 3);
    });

    it('whose own mistakes are named as what they are', () => {
      assert.match(
        refusal('training: { batchEvents: 4 }', [override('training.batchEvents', 5000)]),
        /^--option is 5000\. Too big: expected number to be <=1024\. training\.batchEvents: /,
      );
    });
  });

  it('has keys that are described, every one, and defaults where they don’t depend on the computer or the model', () => {
    const dependent = [
      'dataDir',
      'model.path',
      'model.threads',
      'model.memoryLimitMb',
      'server.exitWhenIdle',
      'training.threads',
      'training.update.firstLayer',
      'training.update.endLayer',
      'judge.outputDir',
      'judge.data.maxTrainItems',
      'judge.data.maxValidationItems',
      'judge.reward.url',
      'judge.reward.model',
      'judge.update.firstLayer',
      'judge.update.endLayer',
    ];
    const without = [...OWN_KEYS].filter(([, node]) => node.default === undefined).map(([key]) => key);
    assert.deepEqual(without, dependent);
    for (const [key, node] of OWN_KEYS) assert.match(node.description ?? '', /\.$/, key);
  });

  it('finds the nearest key in the recipe’s names too', () => {
    assert.equal(nearestKey('rollout.model.modelpath'), 'rollout.model.model_path');
    assert.equal(nearestKey('training.gate.klmax'), 'training.gate.maxKl');
  });
});
