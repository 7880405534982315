import assert from 'node:assert/strict';
import { copyFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { openTinyEngine, request, type TinyEngine } from '../fixtures/tinyEngine.ts';
import { writeTinyAdapter } from '../fixtures/tinyModel.ts';

const PROMPT = 'const a = the return();\n    const b = in on er;\n'.repeat(4);
const BASE = { version: 0, path: null, scale: 1 };

describe('adapters in service', () => {
  let tiny: TinyEngine;
  let adapted: { version: number; path: string; scale: number };
  before(async () => {
    tiny = await openTinyEngine();
    adapted = { version: 1, path: tiny.adapter('one.gguf'), scale: 1 };
  });
  after(() => tiny.close());
  beforeEach(() => tiny.engine.useAdapter(BASE));

  const complete = (options = {}) => tiny.engine.generate(request(tiny.engine, PROMPT, options));

  it('change the text, say their version, and leave the base as it was', async () => {
    const base = await complete();
    await tiny.engine.useAdapter(adapted);
    const changed = await complete();
    await tiny.engine.useAdapter(BASE);
    const again = await complete();
    assert.deepEqual([base.adapterVersion, changed.adapterVersion, again.adapterVersion], [0, 1, 0]);
    assert.notEqual(changed.text, base.text);
    assert.equal(again.text, base.text);
  });

  it('that change nothing give the base text', async () => {
    const base = await complete();
    await tiny.engine.useAdapter({
      version: 2,
      path: tiny.adapter('zero.gguf', { bDeviation: 0 }),
      scale: 1,
    });
    assert.equal((await complete()).text, base.text);
  });

  it('at scale 0 give the base text', async () => {
    const base = await complete();
    await tiny.engine.useAdapter({ ...adapted, scale: 0 });
    assert.equal((await complete()).text, base.text);
  });

  it('at another scale are another adapter', async () => {
    await tiny.engine.useAdapter(adapted);
    const full = await complete();
    await tiny.engine.useAdapter({ ...adapted, scale: 0.25 });
    assert.notEqual((await complete()).text, full.text);
  });

  it('share no cache with one another', async () => {
    await complete();
    await tiny.engine.useAdapter(adapted);
    const first = await complete();
    const second = await complete();
    assert.equal(first.cachedTokens, 0);
    assert.ok(second.cachedTokens > 0);
    assert.equal(second.text, first.text);
  });

  it('are swapped under load: what began finishes under the old one, nothing is dropped', async () => {
    const base = await complete({ maxTokens: 40 });
    const swaps: Promise<void>[] = [];
    let tokensAtSwap = 0;
    const running = complete({
      maxTokens: 40,
      onToken: () => {
        tokensAtSwap++;
        if (swaps.length === 0) swaps.push(tiny.engine.useAdapter(adapted));
      },
    });
    const first = await running;
    await Promise.all(swaps);
    assert.ok(first.tokens.length > 1 && tokensAtSwap === first.tokens.length);
    assert.equal(first.adapterVersion, 0);
    assert.equal(first.text, base.text);
    const versions = new Set<number>();
    const results = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        if (index === 4) await tiny.engine.useAdapter(BASE);
        if (index === 8) await tiny.engine.useAdapter(adapted);
        const result = await complete({ maxTokens: 8 });
        versions.add(result.adapterVersion);
        return result;
      }),
    );
    assert.equal(results.length, 12);
    for (const version of versions) {
      const texts = results.filter((result) => result.adapterVersion === version).map(({ text }) => text);
      assert.equal(new Set(texts).size, 1, `version ${version} gave different texts`);
    }
  });

  it('that requests name answer these alone; two stay open beside the one in service', async () => {
    const lines: string[] = [];
    const logger = pino({ base: undefined }, { write: (line: string) => void lines.push(line) });
    const other = await openTinyEngine({}, { logger });
    try {
      const { engine } = other;
      const refs = [1, 2, 3].map((version) => ({
        version,
        path: other.adapter(`${version}.gguf`, { seed: version }),
        scale: 1,
      }));
      const ask = (version: number) =>
        engine.generate(
          request(engine, PROMPT, {
            maxTokens: 8,
            ...(version === 0 ? {} : { adapter: refs[version - 1]! }),
          }),
        );
      const alone = [await ask(0)];
      for (const ref of refs) {
        await engine.useAdapter(ref);
        alone.push(await ask(0));
      }
      await engine.useAdapter(BASE);
      lines.length = 0;
      const turns = [1, 0, 2, 1, 2, 3, 1, 0, 2];
      const results = await Promise.all(turns.map(ask));
      assert.deepEqual(
        results.map(({ adapterVersion }) => adapterVersion),
        turns,
      );
      for (const [index, turn] of turns.entries()) assert.equal(results[index]!.text, alone[turn]!.text);
      assert.ok(new Set(alone.map(({ text }) => text)).size > 2);

      await engine.forget();
      lines.length = 0;
      for (const turn of [1, 2, 1, 3, 1, 2]) await ask(turn);
      const opened = lines
        .map((line) => JSON.parse(line) as { msg: string; version: number; closed: number | null })
        .filter(({ msg }) => msg.startsWith('Opened'));
      assert.deepEqual(
        opened.map(({ version, closed }) => [version, closed]),
        [
          [1, null],
          [2, null],
          [3, 2],
          [2, 3],
        ],
      );
      await engine.dropAdapter(1);
      const again = await ask(1);
      assert.equal(again.cachedTokens, 0, 'in a context that knows no prompt');
    } finally {
      await other.close();
    }
  });

  it('do not pile up in memory', async () => {
    const rank = 2048;
    const file = tiny.adapter('large.gguf', { rank, targets: ['ffn_down', 'ffn_up', 'ffn_gate'] });
    const megabytes = statSync(file).size / 1e6;
    const swap = async (from: number, count: number) => {
      for (let version = from; version < from + count; version++) {
        const path = join(tiny.folder, `large-${version}.gguf`);
        copyFileSync(file, path);
        await tiny.engine.useAdapter({ version, path, scale: 1 });
        await complete({ maxTokens: 1 });
        rmSync(path);
      }
      await tiny.engine.useAdapter(BASE);
      return process.memoryUsage.rss() / 1e6;
    };
    const before = await swap(100, 8);
    const grown = (await swap(200, 24)) - before;
    assert.ok(
      grown < 8 * megabytes,
      `${grown.toFixed(0)} MB more for 24 adapters of ${megabytes.toFixed(0)} MB`,
    );
  });

  describe('that cannot be used', () => {
    it('are named when the file is missing', async () => {
      const missing = { version: 9, path: join(tiny.folder, 'nowhere.gguf'), scale: 1 };
      await assert.rejects(tiny.engine.useAdapter(missing), {
        code: 'adapter_missing',
        message: /nowhere\.gguf/,
      });
    });

    it('are refused when they belong to another model', async () => {
      const path = join(tiny.folder, 'wide.gguf');
      writeTinyAdapter(path, {}, { width: 128 });
      await assert.rejects(tiny.engine.useAdapter({ version: 9, path, scale: 1 }), {
        code: 'adapter_mismatch',
        message: /takes 128 inputs, the model's has 64/,
      });
      writeTinyAdapter(path, {}, { architecture: 'qwen2' });
      await assert.rejects(tiny.engine.useAdapter({ version: 9, path, scale: 1 }), {
        code: 'adapter_mismatch',
      });
      writeTinyAdapter(path, { layers: [7] });
      await assert.rejects(tiny.engine.useAdapter({ version: 9, path, scale: 1 }), {
        message: /blk\.7\.attn_q\.weight/,
      });
    });

    it('are refused when they are no GGUF file, and the running one stays', async () => {
      await tiny.engine.useAdapter(adapted);
      const path = join(tiny.folder, 'text.gguf');
      writeFileSync(path, 'no adapter');
      await assert.rejects(tiny.engine.useAdapter({ version: 9, path, scale: 1 }), {
        code: 'adapter_mismatch',
      });
      assert.equal(tiny.engine.adapter.version, 1);
      assert.equal((await complete()).adapterVersion, 1);
    });
  });
});
