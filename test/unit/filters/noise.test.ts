import {
  emptyComment,
  emptyText,
  extremeRepetition,
  halfSurrogates,
  maskedSecret,
} from '../../../extension/common/filters/noise.ts';
import { hides, trims } from './cases.ts';

trims('halfSurrogates', halfSurrogates, [
  ['|', 'ab\ud83d', 'ab'],
  ['|', '\udca1ab', 'ab'],
  ['|', 'a💡', 'a💡'],
  ['|', 'a\ud83d ', 'a '],
  ['|', '\ud83d', ''],
  ['|', '', ''],
]);

hides('emptyText', emptyText, [
  ['|', '', true],
  ['|', ' \t', true],
  ['|', '\n\n', true],
  ['|', 'x', false],
]);

hides('maskedSecret', maskedSecret, [
  ['const key = |', "'MAS_KEDMASKEDMASK';", true],
  ["const key = 'MASKEDMASK|'", 'EDMASKED', true],
  ["const key = 'MASKEDMASK|", 'E', true],
  ["const key = 'MASKEDMASK|", "', DEBUG", false],
  ["open('|')", 'https://MA:SKED@host.io', true],
  ["open('https://|')", 'MA:SKED@host.io', true],
  ['|', 'return MASKED;', false],
  ['|', 'const MASK_ED = 1;', false],
]);

hides('emptyComment', emptyComment, [
  ['  |', '//', true],
  ['  |', '// ------------', true],
  ['  |', '// TODO', true],
  ['  |', '# TODO:', true],
  ['  |', '/** */', true],
  ['  |', '/*', true],
  ['  |', '<!-- -->', true],
  ['  //|', ' ...', true],
  ['  |', '//\n// ---', true],
  ['  |', '// Adds two numbers.', false],
  ['  |', '// TODO: handle the empty list', false],
  ['  |', '# -*- coding: utf-8 -*-', false],
  ['  |', '#include <a>', false],
  ['  |', '--count;', false],
  ['  |', '*target = 1;', false],
  ['a(); |', '// b', false],
  ['  |', 'a(); //', false],
]);

hides('extremeRepetition', extremeRepetition, [
  ['|', 'a a a a a a a a a a', true],
  ['|', 'foo.bar.foo.bar.foo.bar.foo.bar.', true],
  ['|', '/'.repeat(40), true],
  ['|', 'const a = [0, 0, 0];', false],
  ['|', 'const total = first + second;', false],
]);
