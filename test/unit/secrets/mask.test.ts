import assert from 'node:assert/strict';
import {
  findPlaceholders,
  maskAround,
  maskDocument,
  maskSecrets,
  maskStrings,
} from '../../../extension/common/secrets/mask.ts';
import { privateKey, SECRET_CASES } from '../../fixtures/secrets.ts';

const CONTEXT_UNITS = 6000;
const RUNS = 200;

describe('masking of secrets', () => {
  for (const { name, secret, code } of SECRET_CASES) {
    it(`${name}: nothing of it is left, and a placeholder of its shape stands there`, () => {
      const text = `const before = 1;\n${code}\nconst after = 2;\n`;
      const masked = maskSecrets(text);
      for (let at = 0; at + 8 <= secret.length; at += 4)
        assert.ok(!masked.includes(secret.slice(at, at + 8)), masked);
      assert.ok(!masked.includes(secret));
      assert.deepEqual(
        masked.split('\n').map((line) => line.length),
        text.split('\n').map((line) => line.length),
      );
      assert.ok(masked.startsWith('const before = 1;\n') && masked.endsWith('\nconst after = 2;\n'));
      assert.ok(findPlaceholders(masked).length > 0);
      assert.equal(maskSecrets(masked), masked);
    });
  }

  it('leaves the code around an address with a login', () => {
    assert.equal(
      maskSecrets(`connect('postgres://ada:Tr0ub4dor@db/x',{max:5});`),
      `connect('postgres://MAS:KEDMASKED@db/x',{max:5});`,
    );
  });

  for (const line of [
    `const url = 'https://example.com/a?b=c';`,
    `this._authToken=token;settings.read();`,
    `const AWS_SECRET_ACCESS_KEY = process.env.AWS_SECRET_ACCESS_KEY;`,
    `if (line === '-----BEGIN PRIVATE KEY-----') inKey = true;`,
    `BEGIN = "-----BEGIN PRIVATE KEY-----"\nEND = 1`,
    `const sha = '9fceb02d0ae598e95dc970b74767f19372d61af8';`,
    `const MASKED = mask(text);`,
  ]) {
    it(`leaves ${JSON.stringify(line)}`, () => {
      assert.equal(maskSecrets(line), line);
      assert.deepEqual(findPlaceholders(line), []);
    });
  }

  it('finds a secret that the caret stands in', () => {
    const key = `ghp_${'a1B2'.repeat(9)}`;
    const { before, after } = maskAround(`const key = '${key.slice(0, 10)}`, `${key.slice(10)}';\n`);
    assert.equal(before, `const key = 'MAS_KEDMAS`);
    assert.equal(after, `KEDMASKEDMASKEDMASKEDMASKEDMAS';\n`);
  });

  it('finds a private key of which the text holds one end only', () => {
    const key = privateKey(60);
    const above = key.slice(1000);
    const below = key.slice(0, 1000);
    assert.match(maskSecrets(`${above}\nrun();\n`), /^[MASKED\n\- ]+\nrun\(\);\n$/);
    assert.match(maskSecrets(`run();\n${below}`), /^run\(\);\n[MASKED\n\- ]+$/);
  });

  it('masks every text of a document, and keeps what is none', () => {
    const secret = `npm_${'a1B2'.repeat(9)}`;
    const masked = 'MAS_KEDMASKEDMASKEDMASKEDMASKEDMASKEDMAS';
    const document = {
      leading: secret,
      repo: 'hone',
      files: [{ path: 'b.ts', text: secret }],
      path: 'a.ts',
      prefix: secret,
      suffix: `\n${secret}`,
    };
    assert.deepEqual(maskDocument(document), {
      leading: masked,
      repo: 'hone',
      files: [{ path: 'b.ts', text: masked }],
      path: 'a.ts',
      prefix: masked,
      suffix: `\n${masked}`,
    });
    assert.deepEqual(maskDocument({ prefix: 'a', suffix: 'b' }), { prefix: 'a', suffix: 'b' });
    const body = { prompt: secret, n: 1, on: true, none: null, list: [{ text: secret }] };
    assert.deepEqual(maskStrings(body), { ...body, prompt: masked, list: [{ text: masked }] });
  });

  it('takes under a millisecond for all that is read around a caret', () => {
    const code = `export function total(list: readonly number[]): number {\n  return list.reduce((a, b) => a + b, 0);\n}\n`;
    const text = code.repeat(CONTEXT_UNITS / code.length);
    const times = Array.from({ length: RUNS }, (_, run) => {
      const began = performance.now();
      maskSecrets(`${run}${text}`);
      return performance.now() - began;
    }).sort((a, b) => a - b);
    assert.ok(times[RUNS / 2]! < 1, `${times[RUNS / 2]} ms`);
  });
});
