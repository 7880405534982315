import {
  documentIndent,
  doubledSpace,
  lineEnds,
  trailingSpace,
} from '../../../extension/common/filters/indentation.ts';
import { trims } from './cases.ts';

trims('lineEnds', lineEnds, [['|', 'a\r\nb\rc', 'a\nb\nc']]);

trims('doubledSpace', doubledSpace, [
  ['return |', ' x', 'x'],
  ['return|', ' x', ' x'],
  ['  |', '  x', '  x'],
  ['  |', ' x', 'x'],
  ['  /**\n  |', ' * x', ' * x'],
]);

trims('documentIndent', documentIndent, [
  ['if (a) {\n\tb();\n|', '    c();', '\tc();'],
  ['if (a) {\n\tb();\n|', '  c();', '\tc();'],
  ['if (a) {\n  b();\n|', '\tc();', '  c();'],
  ['f();\n|', '\tc();', '\tc();'],
  ['\tx = |', '  1', '  1'],
]);
trims(
  'documentIndent',
  documentIndent,
  [
    ['\tif (a) {|', '\n  b();\n    c();', '\n\tb();\n\t\tc();'],
    ['\tif (a) {|', '\n    b();\n        c();', '\n\tb();\n\t\tc();'],
    ['  if (a) {|', '\n\tb();\n\t\tc();', '\n  b();\n    c();'],
  ],
  { multiline: true },
);

trims('trailingSpace', trailingSpace, [
  ['|', 'a = 1;  ', 'a = 1;'],
  ['|', 'a \nb\t', 'a\nb'],
]);
