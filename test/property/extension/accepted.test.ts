import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyFilters } from '../../../extension/common/filters/index.ts';
import { scanBrackets } from '../../../extension/common/filters/scan.ts';
import { placeSuggestion } from '../../../extension/common/suggestion/present.ts';
import { toLf } from '../../../extension/common/outcome/offsets.ts';

/** Documents of nested statements, indented as they nest. */
const name = fc.constantFrom('alpha', 'beta', 'gamma', 'delta');
const expression = fc.letrec<{ one: string }>((tie) => ({
  one: fc.oneof(
    { maxDepth: 3 },
    name,
    fc.tuple(name, tie('one')).map(([callee, argument]) => `${callee}(${argument})`),
    fc.tuple(tie('one'), tie('one')).map(([a, b]) => `[${a}, ${b}]`),
    fc.tuple(name, tie('one')).map(([key, value]) => `{ ${key}: ${value} }`),
    name.map((text) => `'${text}'`),
  ),
})).one;
const lines = fc.letrec<{ block: string[]; statement: string[] }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(name, expression).map(([callee, argument]) => [`${callee}(${argument});`]),
    fc.tuple(expression, tie('block')).map(([test, body]) => [`if (${test}) {`, ...indented(body), '}']),
    fc.tuple(name, tie('block')).map(([callee, body]) => [`${callee}(() => {`, ...indented(body), '});']),
  ),
  block: fc.array(tie('statement'), { minLength: 1, maxLength: 3 }).map((parts) => parts.flat()),
})).block;

function indented(block: string[]): string[] {
  return block.map((line) => `  ${line}`);
}

interface Case {
  prefix: string;
  suffix: string;
  raw: string;
  multiline: boolean;
}

/**
 * A document in which the rest of a line is not written yet, but for closing brackets that the editor has put there,
 * and a text that is right at first and then goes wrong.
 */
const cases: fc.Arbitrary<Case> = fc
  .record({
    document: lines,
    at: fc.nat(),
    column: fc.nat(),
    autoClosed: fc.boolean(),
    kept: fc.nat({ max: 30 }),
    noise: fc.array(fc.constantFrom(')', ']', '}', '});', '\n', '  ', ';', ' + ', 'x', '(', "'", '{'), {
      maxLength: 5,
    }),
    goesOn: fc.boolean(),
    multiline: fc.boolean(),
  })
  .map(({ document, at, column, autoClosed, kept, noise, goesOn, multiline }) => {
    const number = at % document.length;
    const line = document[number]!;
    const caret = line.length - (column % (line.trimStart().length + 1));
    const rest = line.slice(caret);
    const closers = autoClosed ? closersPutIn(line.slice(0, caret), rest) : '';
    const below = document.slice(number + 1);
    const prefix = [...document.slice(0, number), line.slice(0, caret)].join('\n');
    const raw = rest.slice(0, kept) + noise.join('') + (goesOn ? `\n${below.slice(0, 3).join('\n')}` : '');
    return { prefix, suffix: [closers, ...below].join('\n'), raw, multiline };
  });

/** What the editor has put behind the caret: what closes the brackets that were opened before it. */
function closersPutIn(before: string, rest: string): string {
  const opened = scanBrackets(rest, scanBrackets(before).state).unopened.map(({ character }) => character);
  return opened.length === 0 ? '' : opened.join('') + /;?$/.exec(rest)![0];
}

function isBalanced(text: string): boolean {
  const { open, unopened, mismatch } = scanBrackets(text);
  return open.length === 0 && unopened.length === 0 && mismatch === undefined;
}

function accepted({ prefix, suffix, raw, multiline }: Case, eol: '\n' | '\r\n') {
  const { text } = applyFilters(raw, { prefix, suffix, start: 0, multiline });
  const lineSuffix = suffix.split('\n', 1)[0]!;
  const { insertText, replaced } = placeSuggestion(text, { before: prefix, lineSuffix, eol });
  return { text, lineSuffix, replaced, whole: prefix + insertText + suffix.slice(replaced) };
}

const RUNS = { numRuns: 2000 };

describe('an accepted suggestion', () => {
  it('closes nothing that was not open', () => {
    let judged = 0;
    fc.assert(
      fc.property(cases, (one) => {
        const { text, whole } = accepted(one, '\n');
        const begun = scanBrackets(one.prefix).state;
        const { open, state } = scanBrackets(text, begun);
        const opens = open.length > 0 || state !== 'code';
        if (text === '' || opens || !isBalanced(one.prefix + one.suffix)) return;
        judged++;
        assert.ok(isBalanced(whole), whole);
      }),
      RUNS,
    );
    assert.ok(judged > RUNS.numRuns / 10, `${judged} judged`);
  });

  it('leaves nothing open in front of brackets that stand there already', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { text, lineSuffix, replaced } = accepted(one, '\n');
        if (text === '' || lineSuffix.slice(replaced).trim() === '') return;
        const before = scanBrackets(one.prefix + lineSuffix);
        const after = scanBrackets(one.prefix + text + lineSuffix.slice(replaced));
        assert.equal(after.mismatch, undefined);
        assert.ok(after.open.length <= before.open.length, one.prefix + text + lineSuffix.slice(replaced));
      }),
      RUNS,
    );
  });

  it('does not write the next line a second time', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { text, whole } = accepted(one, '\n');
        const below = one.suffix.split('\n').slice(1);
        const next = below.find((line) => line.trim() !== '')?.trim();
        if (text === '' || next === undefined || !/\w/.test(next)) return;
        const written = whole
          .slice(0, whole.length - below.join('\n').length)
          .trimEnd()
          .split('\n');
        assert.notEqual(written.at(-1)!.trim(), next);
      }),
      RUNS,
    );
  });

  it('is the same with CRLF as with LF, and keeps the line ends', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const lf = accepted(one, '\n');
        const crlf = accepted({ ...one, raw: one.raw.replaceAll('\n', '\r\n') }, '\r\n');
        assert.equal(toLf(crlf.whole), lf.whole);
        const inserted = crlf.whole.slice(
          one.prefix.length,
          crlf.whole.length - one.suffix.slice(crlf.replaced).length,
        );
        assert.ok(!/(?<!\r)\n/.test(inserted));
      }),
      RUNS,
    );
  });
});
