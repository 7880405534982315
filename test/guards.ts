/**
 * What keeps each kind of fault away that completions have elsewhere: the test that shows it, and the guard without
 * which that test fails. `npm run test:guards` takes the guards out one at a time and sees that it does.
 */

import { GUARDED_PARTS } from './guardedParts.ts';

interface Patch {
  /** Of the repository. */
  file: string;
  /** Stands in the file once; `by` takes its place. */
  guard: string;
  by: string;
}

export interface GuardedFault extends Patch {
  kind: string;
  test: string;
  /** Beginning or part of the test's name. */
  name: string;
}

const FILTERS = 'extension/common/filters/index.ts';
const FAULTS = 'test/unit/filters/faults.test.ts';
const ACCEPTED = 'test/unit/extension/faults.test.ts';
const PROPERTIES = 'test/property/extension/accepted.test.ts';
const SERVICE = 'test/service/inferenceService.test.ts';
const VOCABULARIES = 'test/native/fimVocabularies.test.ts';
const WINDOW = 'extension/common/prompt/window.ts';

/** A filter that is left out. */
const filter = (name: string): Patch => ({ file: FILTERS, guard: `\n  ${name},\n`, by: '\n' });
const fault = (kind: string, name: string, patch: Patch, test = FAULTS): GuardedFault => ({
  kind,
  test,
  name,
  ...patch,
});

export const GUARDED_FAULTS: readonly GuardedFault[] = [
  fault(
    'no suggestion in front of an auto-closed bracket',
    'nothing shown in front of an auto-closed parenthesis',
    {
      file: 'extension/common/suggestion/present.ts',
      guard: 'Math.max(replacedAtLeast, closedAnew(lf, before, lineSuffix))',
      by: 'replacedAtLeast',
    },
    ACCEPTED,
  ),
  fault(
    'missing parenthesis',
    'the parenthesis missing that the text itself opened',
    {
      file: 'extension/common/filters/brackets.ts',
      guard: 'isUnmatched(closer, rest + tail.slice(0, i))',
      by: 'true',
    },
    ACCEPTED,
  ),
  fault(
    'missing quote',
    'the quote missing that the text itself opened',
    {
      file: 'extension/common/filters/brackets.ts',
      guard: 'return before.split(closer).length % 2 === 1;',
      by: 'return true;',
    },
    ACCEPTED,
  ),
  fault('line below repeated', 'the line below repeated', filter('repeatsLineBelow')),
  fault(
    'line below repeated',
    'the line below repeated at the end of several lines',
    filter('stopAtLineBelow'),
  ),
  fault(
    'line below repeated',
    'does not write the next line a second time',
    filter('repeatsLineBelow'),
    PROPERTIES,
  ),
  fault('rest of the line repeated', 'the rest of the line repeated', filter('stopAtSuffix')),
  fault(
    'closing bracket of the suffix doubled',
    'the closing bracket of the suffix doubled',
    filter('strayClosers'),
  ),
  fault(
    'closing bracket of the suffix doubled',
    'an auto-closed parenthesis doubled',
    filter('doubledClosers'),
  ),
  fault('lone bracket', 'a lone bracket', filter('loneCloser')),
  fault('code duplicated', 'code duplicated', filter('repeatedLines')),
  fault('code duplicated', 'the line above repeated', filter('repeatsLineAbove')),
  fault(
    'unbalanced brackets after acceptance',
    'a bracket closed that nothing opened',
    filter('strayClosers'),
  ),
  fault('unbalanced brackets after acceptance', 'a bracket opened in front of', filter('openBeforeSuffix')),
  fault(
    'unbalanced brackets after acceptance',
    'closes nothing that was not open',
    filter('strayClosers'),
    PROPERTIES,
  ),
  fault(
    'unbalanced brackets after acceptance',
    'leaves nothing open in front of brackets',
    filter('openBeforeSuffix'),
    PROPERTIES,
  ),

  fault(
    'Tab meant as indentation accepts',
    'indentation in front of a text lost',
    {
      file: 'extension/common/filters/indentation.ts',
      guard: '/\\S[ \\t]+$/.test(view.linePrefix)',
      by: 'true',
    },
    ACCEPTED,
  ),
  fault("document's tabs or spaces ignored", 'tabs of the document ignored', filter('documentIndent')),
  fault('one extra leading space', 'one extra leading space after a word', filter('doubledSpace')),
  fault('one extra leading space', 'one extra leading space in an indented line', filter('doubledSpace')),
  fault('auto-unindent', 'a closing bracket alone in a line that is indented', filter('loneCloser')),
  fault(
    'always at root indentation',
    'lines below the first at root indentation',
    filter('documentIndent'),
    ACCEPTED,
  ),
  fault(
    'white space alone',
    'shows no white space alone',
    filter('emptyText'),
    'test/unit/filters/apply.test.ts',
  ),

  fault(
    'stray carriage return in the suffix',
    'a carriage return in what the model is shown',
    { file: 'extension/common/suggestion/surroundings.ts', guard: 'toLf(raw.after)', by: 'raw.after' },
    ACCEPTED,
  ),
  fault(
    'other results in CRLF documents',
    'is the same with CRLF as with LF',
    {
      file: 'extension/common/suggestion/surroundings.ts',
      guard: 'lfOffset: crlf ? offset - line : offset',
      by: 'lfOffset: offset',
    },
    'test/property/extension/partialWindow.test.ts',
  ),
  fault(
    'other results in CRLF documents',
    'is the same with CRLF as with LF',
    filter('lineEnds'),
    PROPERTIES,
  ),
  fault('blank lines added on Windows', 'a carriage return at the end', filter('lineEnds')),
  fault(
    'blank lines added on Windows',
    'the newline in front lost, CRLF',
    { file: 'extension/common/suggestion/present.ts', guard: "lf.replaceAll('\\n', eol)", by: 'lf' },
    ACCEPTED,
  ),
  fault(
    'end of the file',
    'the last line not seen where a file ends without a newline',
    { file: WINDOW, guard: 'newline === -1 ? text.length : newline;', by: 'newline;' },
    ACCEPTED,
  ),
  fault(
    'UTF-16 against bytes',
    'a prompt that begins or ends between the halves of a character',
    { file: WINDOW, guard: 'splits ? offset - 1 : offset', by: 'offset' },
    ACCEPTED,
  ),
  fault('UTF-16 against bytes', 'half a character at the end', filter('halfSurrogates')),
  fault(
    'document without a file',
    'shows no path where a document has none',
    {
      file: 'extension/common/prompt/fimFiles.ts',
      guard: "...(path ? [{ marker: file, role: 'marker' } as const, ownPath(path)] : []),",
      by: "{ marker: file, role: 'marker' } as const, ownPath(path ?? ''),",
    },
    SERVICE,
  ),

  fault(
    'special tokens shown',
    'shows a completion that spells special tokens whole, and one that contains them without',
    {
      file: 'trainer/inference/vocabulary.ts',
      guard: 'ids.filter((id) => !this.special.ids.has(id)) as Token[]',
      by: 'ids as Token[]',
    },
    VOCABULARIES,
  ),
  fault(
    "template chosen by the model's name",
    'is none when a marker is missing',
    {
      file: 'extension/common/prompt/fimChoice.ts',
      guard: 'requiredMarkers(family).every((marker)',
      by: 'requiredMarkers(family).some((marker)',
    },
    'test/unit/prompt/fimChoice.test.ts',
  ),
  fault(
    'leading newline lost',
    'the newline in front lost, LF',
    {
      file: 'extension/common/filters/lines.ts',
      guard: 'view.multiline && !goesOnInString(text.slice(0, end), view)',
      by: 'false',
    },
    ACCEPTED,
  ),
  fault(
    'model without FIM tokens not told',
    'is none when the model has no markers',
    {
      file: 'trainer/server/inference/completions.ts',
      guard: '...(prompt.hasSuffix ? { suffix_used: !prompt.suffixDropped } : {}),',
      by: '',
    },
    'test/service/fimTemplate.test.ts',
  ),
  fault(
    'extra begin-of-text',
    'gets it once, in front',
    { file: 'trainer/server/inference/prompt.ts', guard: '.slice(front.length)', by: '' },
    SERVICE,
  ),
  fault(
    'prompt on the wrong side of the suffix marker',
    'stands as its makers published it: qwen, spm',
    {
      file: 'extension/common/prompt/fim.ts',
      guard: 'marker(template.suffix), after, marker(middle), ...before];\n  }',
      by: 'marker(template.suffix), ...before, marker(middle), after];\n  }',
    },
    'test/unit/prompt/fim.test.ts',
  ),
  fault(
    'legal code cut at a stop string',
    'a stop string that legal code could hold',
    { file: 'extension/common/prompt/request.ts', guard: "stop: ['\\n']", by: "stop: ['\\n', '//']" },
    ACCEPTED,
  ),
  fault(
    'legal code cut at a stop string',
    'shows a completion that spells special tokens whole',
    {
      file: 'trainer/inference/vocabulary.ts',
      guard: 'if (parsed.size === 0) return tokens;',
      by: 'return tokens;',
    },
    VOCABULARIES,
  ),
  fault('masked secret suggested', 'the placeholder of a masked secret', filter('maskedSecret')),

  fault(
    'stale requests go on',
    'are one at a time: the next one ends the one before',
    { file: 'extension/vscode/turns.ts', guard: '\n    this.end(document);\n', by: '\n' },
    'test/unit/timing/turns.test.ts',
  ),
  fault(
    'listeners pile up when switched off and on',
    'keeps no listener of what was closed',
    {
      file: 'extension/vscode/capture.ts',
      guard: 'for (const disposable of this.#disposables) disposable.dispose();',
      by: '',
    },
    'test/unit/extension/memory.test.ts',
  ),
  fault(
    'out of memory over a day',
    'is as large after',
    {
      file: 'extension/common/outcome/outcomeMachine.ts',
      guard: 'if (this.#settled.size <= SETTLED_IDS_MAX) return;',
      by: 'return;',
    },
    'test/unit/extension/memory.test.ts',
  ),
  ...GUARDED_PARTS,
];

/** The fault's line in docs/known-faults.md. */
export function faultRow({ kind, test, name, file, guard }: GuardedFault): string {
  const left = file === FILTERS ? `filter \`${guard.trim().replace(/,$/, '')}\`` : file;
  return `| ${kind} | ${test}: ${name} | ${left} |`;
}
