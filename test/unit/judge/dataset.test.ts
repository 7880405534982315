import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDataset } from '../../../trainer/judge/dataset.ts';

const PROMPT = '<|fim_prefix|>let a = <|fim_suffix|>;\nuse(a);\n<|fim_middle|>';
const good = JSON.stringify({ prompt: PROMPT, solutions: ['1', 'one()'], source: 'kept out' });

describe('the data of a judged run', () => {
  let folder: string;
  before(() => void (folder = mkdtempSync(join(tmpdir(), 'hone-judge-data-'))));
  after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  it('is read line by line, file by file, whatever the line ends', () => {
    const first = file('first.jsonl', `\uFEFF${good}\r\n\r\n${good}\r\n`);
    const spm = '<fim_prefix><fim_suffix>;\nuse(a);\n<fim_middle>let a = ';
    const second = file('second.jsonl', JSON.stringify({ prompt: spm, solutions: ['1'] }));
    const items = readDataset([first, second]);
    assert.deepEqual(
      items.map(({ id }) => id),
      [`${first}:1`, `${first}:3`, `${second}:1`],
    );
    assert.deepEqual(items[0]!.solutions, ['1', 'one()']);
    for (const { document } of items) {
      assert.equal(document.prefix, 'let a = ');
      assert.equal(document.suffix, ';\nuse(a);\n');
    }
  });

  for (const [name, line, message] of [
    ['no JSON', '{"prompt":', /no JSON/],
    ['no object', '[1]', /expected object/],
    ['no prompt', JSON.stringify({ solutions: ['1'] }), /"prompt"/],
    ['a prompt that is none', JSON.stringify({ prompt: 3, solutions: ['1'] }), /"prompt"/],
    ['no solutions', JSON.stringify({ prompt: PROMPT }), /"solutions"/],
    ['an empty list of them', JSON.stringify({ prompt: PROMPT, solutions: [] }), /"solutions"/],
    ['one string', JSON.stringify({ prompt: PROMPT, solutions: 'one' }), /"solutions"/],
    ['a number among them', JSON.stringify({ prompt: PROMPT, solutions: ['1', 2] }), /"solutions\.1"/],
    ['a blank solution', JSON.stringify({ prompt: PROMPT, solutions: ['1', ' \n'] }), /"solutions\.1"/],
    ['no markers', JSON.stringify({ prompt: 'let a = ', solutions: ['1'] }), /fill-in-the-middle/],
    ['a marker twice', JSON.stringify({ prompt: PROMPT + PROMPT, solutions: ['1'] }), /fill-in-the-middle/],
  ] as const)
    it(`is refused with file and line for ${name}`, () => {
      const path = file('bad.jsonl', `${good}\n${line}\n${good}\n`);
      assert.throws(
        () => readDataset([path]),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, 'dataset_invalid');
          assert.ok(error.message.startsWith(`${path}:2: `), error.message);
          assert.match(error.message, message);
          return true;
        },
      );
    });

  it('names the first bad lines and counts the others', () => {
    const path = file('many.jsonl', Array.from({ length: 8 }, () => '{').join('\n'));
    assert.throws(() => readDataset([path]), /:1: [^]*:5: [^]*and 3 more lines/);
  });

  it('is refused when a file is empty or not there', () => {
    assert.throws(() => readDataset([file('empty.jsonl', '\n \n')]), /empty\.jsonl has no line of data/);
    assert.throws(() => readDataset([join(folder, 'none.jsonl')]), /none\.jsonl can't be read/);
  });
});
