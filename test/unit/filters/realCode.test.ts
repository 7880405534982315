import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { applyFilters } from '../../../extension/common/filters/index.ts';
import { promptWindow } from '../../../extension/common/prompt/window.ts';
import { readSourceFiles } from '../../../trainer/replay/files.ts';
import { codeLines, contentStart, documentAt } from '../../../trainer/replay/positions.ts';

const fixture = fileURLToPath(new URL('../../../trainer/replay/fixture/code', import.meta.url));

describe('filters on real code', () => {
  it('leave what a developer really wrote as it is, but for one line in 200', async () => {
    const changed: string[] = [];
    let lines = 0;
    for (const file of await readSourceFiles(fixture)) {
      const texts = file.text.split('\n');
      for (const line of codeLines(file.text)) {
        const column = contentStart(texts[line]!);
        const at = { path: file.path, language: file.language, line, column, atStart: true };
        const { text, caret, rest } = documentAt(file, at);
        const shown = applyFilters(rest, promptWindow(text, caret, file.path)).text;
        lines++;
        if (shown !== rest) changed.push(`${rest} → ${shown}`);
      }
    }
    assert.ok(lines > 5000);
    assert.ok(changed.length < lines / 200, changed.join('\n'));
  });
});
