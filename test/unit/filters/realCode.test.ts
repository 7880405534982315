import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { applyFilters } from '../../../extension/common/filters/index.ts';
import { scanBrackets } from '../../../extension/common/filters/scan.ts';
import { promptWindow } from '../../../extension/common/prompt/window.ts';
import { placeSuggestion } from '../../../extension/common/suggestion/present.ts';
import { readSourceFiles } from '../../../trainer/replay/files.ts';
import { codeLines, contentStart } from '../../../extension/common/places/codePlaces.ts';
import { documentAt } from '../../../trainer/replay/positions.ts';

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

  for (const whole of [false, true]) {
    const text = whole ? 'text to the end of the line' : 'text up to the brackets';
    it(`leave ${text} as it is where the editor has closed brackets, but for one line in 200`, async () => {
      const changed: string[] = [];
      let lines = 0;
      for (const file of await readSourceFiles(fixture)) {
        const texts = file.text.split('\n');
        for (const number of codeLines(file.text)) {
          const line = texts[number]!;
          const caret = line.indexOf('(') + 1;
          const brackets = scanBrackets(line.slice(caret)).unopened;
          if (caret === 0 || brackets.length === 0 || brackets[0]!.offset === 0) continue;
          const end = caret + brackets[0]!.offset;
          const prefix = [...texts.slice(0, number), line.slice(0, caret)].join('\n');
          const suffix = [line.slice(end), ...texts.slice(number + 1)].join('\n');
          const raw = whole ? line.slice(caret) : line.slice(caret, end);
          const shown = applyFilters(raw, promptWindow(prefix + suffix, prefix.length, file.path)).text;
          const lineSuffix = line.slice(end);
          const { insertText, replaced } = placeSuggestion(shown, { before: prefix, lineSuffix, eol: '\n' });
          const accepted = line.slice(0, caret) + insertText + lineSuffix.slice(replaced);
          lines++;
          if (accepted.trimEnd() !== line.trimEnd()) changed.push(`${line.trim()} → ${accepted.trim()}`);
        }
      }
      assert.ok(lines > 1500, `${lines} lines`);
      assert.ok(changed.length < lines / 200, changed.join('\n'));
    });
  }
});
