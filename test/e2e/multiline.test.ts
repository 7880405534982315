import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, HoneWorkbench } from './harness/hone.ts';

const BODY = '\n  open(list);\n  sort(list);\n  close(list);';
const functions = ['one', 'two', 'three', 'four', 'five'].map(
  (name) => `export function ${name}(list) {${BODY}\n}\n\n`,
);
const BEFORE = `${functions.join('')}export function six(list) `;
const SUGGESTION_LIMIT_MS = 10_000;

describe('a block in the editor', function () {
  this.timeout(240_000);
  let hone: HoneWorkbench;

  before(async () => {
    hone = await HoneWorkbench.start(
      { 'src/lists.js': `${BEFORE}\n}\n` },
      {
        settings: {
          'editor.autoClosingBrackets': 'never',
          'hone.completions.multiline': 'always',
        },
      },
    );
  });

  after(async () => {
    await hone?.stop();
  });

  it('is suggested whole where it begins, and stands in the file after Tab', async () => {
    const window = await hone.open('src/lists.js');
    await window.focusEditor();
    await window.goToEndOfLine(BEFORE.split('\n').length);
    // The first request in a language finds its grammar not loaded yet, and is one line.
    await window.type('{');
    if (!(await window.ghostTextWithin(SUGGESTION_LIMIT_MS)).includes('close')) {
      await window.press('Backspace');
      await window.type('{');
    }
    await window.waitForGhostText((text) => text.includes('close(list);'), SUGGESTION_LIMIT_MS);
    await window.press('Tab');
    const [row] = await eventually(
      () => hone.outcomes().filter(({ outcome }) => outcome.kind === 'accepted'),
      (accepted) => accepted.length > 0,
      'the acceptance',
    );
    assert.equal(row!.shownText, BODY);
    await window.save();
    const text = await eventually(
      () => readFileSync(join(hone.workspace, 'src/lists.js'), 'utf8'),
      (saved) => saved.includes('six(list) {'),
      'the saved file',
    );
    assert.equal(text, `${BEFORE}{${BODY}\n}\n`);
  });
});
