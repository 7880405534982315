import assert from 'node:assert/strict';
import { wordsOf } from '../../../extension/common/context/words.ts';

const CASES: [string, string[]][] = [
  ['getHTTPStatus', ['gethttpstatus', 'http', 'status']],
  ['retry_after_ms', ['retry_after_ms', 'retry', 'after']],
  ['const total = sum(total)', ['total', 'sum', 'total']],
  ['return new Promise', ['promise']],
  ['größeÄndern()', ['größeändern', 'größe', 'ändern']],
  ['a = b + 12 // x', []],
  [`id_${'x'.repeat(100)}`, []],
  ['', []],
];

describe('words of code', () => {
  for (const [text, words] of CASES)
    it(JSON.stringify(text.slice(0, 30)), () => assert.deepEqual(wordsOf(text), words));
});
