import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { applyFilters } from '../../../extension/common/filters/index.ts';
import { promptWindow } from '../../../extension/common/prompt/window.ts';
import { readSourceFiles } from '../../../trainer/replay/files.ts';
import { codeLines, contentStart, documentAt } from '../../../trainer/replay/positions.ts';

const fixture = fileURLToPath(new URL('../../../trainer/replay/fixture/code', import.meta.url));

describe('filters on real code', () => {
  const places: [name: string, column: (line: string) => number][] = [
    ['at the start of a line', contentStart],
    ['inside a line', (line) => Math.ceil((contentStart(line) + line.length) / 2)],
  ];
  for (const [name, columnOf] of places) {
    it(`leave what a developer really wrote as it is, ${name}, but for one line in 300`, async () => {
      const changed: string[] = [];
      let lines = 0;
      for (const file of await readSourceFiles(fixture)) {
        const texts = file.text.split('\n');
        for (const line of codeLines(file.text)) {
          const column = columnOf(texts[line]!);
          const at = { path: file.path, language: file.language, line, column, atStart: true };
          const { text, caret, rest } = documentAt(file, at);
          // A space in front is left to the caret's side, as a developer pauses behind a word.
          if (/^\s|^$/.test(rest)) continue;
          const { text: shown, filters } = applyFilters(rest, promptWindow(text, caret, file.path));
          lines++;
          if (shown !== rest) changed.push(`${rest} → ${shown} (${filters.join(', ')})`);
        }
      }
      assert.ok(lines > 5000);
      assert.ok(changed.length < lines / 300, changed.join('\n'));
    });
  }
});
