import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ScriptedCompanion } from '../../fixtures/scriptedCompanion.ts';
import { KEYS, WARM_KEYS, type DayOfTyping } from '../../fixtures/typist.ts';
import { StandInEditor } from '../../fixtures/vscode/editor.ts';
import { listenerCount } from '../../fixtures/vscode/standIn.ts';

const TYPIST = join(import.meta.dirname, '../../fixtures/typist.ts');
/** Growth between the two. One number a key that is kept would be about as much. */
const GROWTH_MAX_BYTES = 200_000;

describe('memory of the extension host', function () {
  this.timeout(240_000);

  it(`is as large after ${KEYS} keystrokes as after ${WARM_KEYS}`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', TYPIST]);
    const { growthBytes, told } = JSON.parse(stdout) as DayOfTyping;
    assert.ok(growthBytes < GROWTH_MAX_BYTES, `${growthBytes} bytes more`);
    for (const kind of ['outcome', 'correction', 'retention']) assert.ok(told[kind]! > 1000, kind);
  });

  it('keeps no listener of what was closed, and none more for each time that tracking is switched', async () => {
    const open = () => {
      const { complete, shown } = new ScriptedCompanion(() => 'first');
      return new StandInEditor({ text: 'let a = ;\n', client: { complete, shown } });
    };
    const before = listenerCount();
    const editor = open();
    const opened = listenerCount();
    for (let turn = 0; turn < 50; turn++) {
      editor.capture.restart(turn % 2 === 0);
      editor.moveTo('let a = '.length);
      await editor.ask();
    }
    assert.equal(listenerCount(), opened);
    editor.dispose();
    assert.equal(listenerCount(), before);
  });
});
