import assert from 'node:assert/strict';
import { eventually, HoneWorkbench } from './harness/hone.ts';

/** Twice, because the server makes a list of an option only when it comes more than once. */
const PROPOSAL_ON = ['enable-proposed-api=hone.hone', 'enable-proposed-api=hone.hone'];
const SEEN_MS = 1000;
const SUGGESTION_LIMIT_MS = 15_000;

describe('where the editor allows its own events about suggestions', function () {
  this.timeout(120_000);
  let hone: HoneWorkbench;

  before(async () => {
    hone = await HoneWorkbench.start(
      { 'src/half.js': 'export function half(value) {\n}\n' },
      { vscodeOptions: PROPOSAL_ON },
    );
  });

  after(async () => {
    await hone?.stop();
  });

  it('knows from them that a suggestion was shown and rejected', async () => {
    const window = await hone.open('src/half.js');
    await window.focusEditor();
    await window.goToEndOfLine(1);
    await window.type('\n  return ');
    await window.waitForGhostText(undefined, SUGGESTION_LIMIT_MS);
    await window.page.waitForTimeout(SEEN_MS);
    await window.type('4711;');
    const rows = await eventually(
      () => hone.outcomes().filter((row) => row.outcome.kind === 'rejected'),
      (rejected) => rejected.length > 0,
      'the rejection',
    );
    assert.equal(rows[0]?.evidence, 'event');
    const ids = hone.outcomes().map((row) => row.completionId);
    assert.equal(new Set(ids).size, ids.length);
  });
});
