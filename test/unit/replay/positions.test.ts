import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { readSourceFiles, splitFiles } from '../../../trainer/replay/files.ts';
import { DEFAULT_HABITS } from '../../../trainer/replay/habits.ts';
import { planPauses } from '../../../trainer/replay/plan.ts';
import { codeLines } from '../../../extension/common/places/codePlaces.ts';
import { documentAt, evaluationPositions } from '../../../trainer/replay/positions.ts';

const fixture = fileURLToPath(new URL('../../../trainer/replay/fixture/code', import.meta.url));

const typescript = `/*
 * Copyright somebody.
 */
'use strict';
import fs from 'node:fs';
import {
  first,
  second,
} from './other.js';
import './effects.js';
export { third } from './third.js';
export {
  fourth,
} from './fourth.js';
const old = require('old');

/** Adds. */
export function add(a: number, b: number) {
  return a + b;
}
const lazy = await import('./lazy.js');
`;

const python = `# Licence
import os, sys
from collections import (
    OrderedDict,
)
from a.b import c

def add(first, second):
    return first + second
`;

const texts = (source: string): string[] => codeLines(source).map((line) => source.split('\n')[line]!.trim());

describe('codeLines', () => {
  it('leaves out the licence header, imports and re-exports', () => {
    assert.deepEqual(texts(typescript), [
      '/** Adds. */',
      'export function add(a: number, b: number) {',
      'return a + b;',
      "const lazy = await import('./lazy.js');",
    ]);
  });

  it('knows the imports of Python', () => {
    assert.deepEqual(texts(python), ['def add(first, second):', 'return first + second']);
  });
});

describe('the fixture code base', () => {
  it('has at least ten files that are never streamed, apart from those that are', async () => {
    const files = await readSourceFiles(fixture);
    const { streamed, heldOut } = splitFiles(files);
    assert.ok(heldOut.length >= 10);
    assert.equal(streamed.length + heldOut.length, files.length);
    assert.equal(new Set([...streamed, ...heldOut].map((file) => file.path)).size, files.length);
  });

  it('has at least 150 places to ask at, in the order of typing', async () => {
    const { streamed } = splitFiles(await readSourceFiles(fixture));
    const plan = planPauses(streamed, 150, DEFAULT_HABITS, 1);
    const places = [...plan.values()].flat();
    assert.equal(places.length, 150);
    for (const positions of plan.values()) {
      const order = positions.map((position) => position.line * 1000 + position.column);
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
      );
    }
  });

  it('gives every file fixed positions, half at the start of a line', async () => {
    const { heldOut } = splitFiles(await readSourceFiles(fixture));
    for (const file of heldOut) {
      const positions = evaluationPositions(file, 12, 1);
      assert.deepEqual(evaluationPositions(file, 12, 1), positions);
      assert.ok(positions.length >= 9, file.path);
      const starts = positions.filter((position) => position.atStart).length;
      assert.ok(Math.abs(starts * 2 - positions.length) <= 3, file.path);
    }
  });

  it('shows at a position what stands before and below, and keeps the rest of the line', async () => {
    const [file] = await readSourceFiles(fixture);
    for (const position of evaluationPositions(file!, 12, 1)) {
      const { text, caret, rest } = documentAt(file!, position);
      assert.equal(text.slice(0, caret), file!.text.slice(0, caret));
      assert.ok(file!.text.slice(caret).startsWith(rest));
      assert.equal(text[caret], '\n');
      assert.ok(rest.length >= 3);
    }
  });
});

describe('splitFiles', () => {
  const files = ['a.ts', 'lib/b.ts', 'lib/c.ts'].map((path) => ({ path, language: 'typescript', text: '' }));

  it('takes a pattern', () => {
    assert.deepEqual(
      splitFiles(files, 'lib/**').heldOut.map((file) => file.path),
      ['lib/b.ts', 'lib/c.ts'],
    );
  });

  it('refuses a pattern that leaves nothing to type', () => {
    assert.throws(() => splitFiles(files, '**'), /leaves nothing to type/);
    assert.throws(() => splitFiles(files, 'elsewhere/**'), /leaves nothing to measure on/);
    assert.throws(() => splitFiles(files.slice(0, 1)), /One file is too few/);
  });
});
