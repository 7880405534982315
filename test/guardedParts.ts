/** Rows of test/guards.ts about the parts around a suggestion's text: load, adapters, editor, privacy, feedback. */

const CANCEL = 'test/service/inferenceCancel.test.ts';
const SWAP = 'test/service/inferenceSwap.test.ts';
const OUTCOME = 'test/unit/extension/outcome.test.ts';
const POLICY = 'test/unit/extension/policy.test.ts';
const CONTRIBUTIONS = 'test/unit/extension/contributions.test.ts';
const MACHINE = 'extension/common/outcome/outcomeMachine.ts';
const VERDICT = 'extension/common/outcome/verdict.ts';
const LORA = 'trainer/inference/loraFiles.ts';

export const GUARDED_PARTS = [
  {
    kind: 'untitled document',
    test: POLICY,
    name: 'is decided by the scheme of the document: untitled',
    file: 'extension/vscode/policy.ts',
    guard: "\n  'untitled',\n",
    by: '\n',
  },
  {
    kind: 'notebook cell',
    test: POLICY,
    name: 'is decided by the scheme of the document: vscode-notebook-cell',
    file: 'extension/vscode/policy.ts',
    guard: "\n  'vscode-notebook-cell',\n",
    by: '\n',
  },
  {
    kind: 'document on another machine',
    test: POLICY,
    name: 'is decided by the scheme of the document: vscode-remote',
    file: 'extension/vscode/policy.ts',
    guard: "\n  'vscode-remote',\n",
    by: '\n',
  },
  {
    kind: 'port in use',
    test: 'test/service/inferenceServe.test.ts',
    name: 'refuses a port that is taken, by number and option',
    file: 'trainer/server/shared/service.ts',
    guard: "code === 'EADDRINUSE' || ",
    by: '',
  },

  {
    kind: 'every keystroke a request',
    test: 'test/unit/timing/turns.test.ts',
    name: 'that wait for a pause in typing are never sent when the next key comes',
    file: 'extension/vscode/provider.ts',
    guard: 'if (turn.signal.aborted || document.version !== version) return [];',
    by: '',
  },
  {
    kind: 'generation goes on after it was cancelled',
    test: CANCEL,
    name: 'ends the generation with the token under way',
    file: 'trainer/inference/generate.ts',
    guard: 'while (!request.signal?.aborted) {',
    by: 'while (true) {',
  },
  {
    kind: 'generation goes on after it was cancelled',
    test: CANCEL,
    name: 'ends the prefill with the chunk under way',
    file: 'trainer/inference/generate.ts',
    guard: 'if (request.signal?.aborted) return false;',
    by: '',
  },
  {
    kind: 'large file lags',
    test: 'test/unit/extension/hostThread.test.ts',
    name: 'is not held up by a suggestion that ended far away',
    file: MACHINE,
    guard: 'if (successor.start > comparedTo) return text.slice(display.start, comparedTo);',
    by: '',
  },

  {
    kind: 'scale of an adapter left as it was',
    test: SWAP,
    name: 'at another scale are another adapter',
    file: 'trainer/inference/served.ts',
    guard: ' && one.scale === other.scale',
    by: '',
  },
  {
    kind: 'memory grows with every adapter',
    test: SWAP,
    name: 'do not pile up in memory',
    file: LORA,
    guard: 'keeper?.delete(path);\n    await lora?.dispose();',
    by: '',
  },

  {
    kind: 'partial acceptance not told',
    test: OUTCOME,
    name: 'our accept-word of a single bracket',
    file: MACHINE,
    guard: 'if (display) display.partExpected = true;',
    by: '',
  },
  {
    kind: 'dismissed suggestion comes back',
    test: OUTCOME,
    name: 'of a dismissed one is final at once, so that no cache brings it back',
    file: MACHINE,
    guard: 'return [this.#decide(display.offer.id)];',
    by: 'return [];',
  },
  {
    kind: 'key steals a common one',
    test: CONTRIBUTIONS,
    name: 'bind Escape and Ctrl+Right only while a suggestion of ours is on display',
    file: 'package.json',
    guard: '"when": "inlineSuggestionVisible && hone.offering && editorTextFocus && !editorReadonly',
    by: '"when": "editorTextFocus && !editorReadonly',
  },

  {
    kind: 'secrets reach the prompt',
    test: POLICY,
    name: 'is no secret',
    file: 'extension/vscode/requestAt.ts',
    guard: '= maskAround(around.before, around.after);',
    by: '= around;',
  },
  {
    kind: 'own ignore list replaces the defaults',
    test: 'test/unit/extension/files.test.ts',
    name: 'never leave the editor, whatever the settings',
    file: 'extension/common/files/excluded.ts',
    guard: 'return always(slashed) || own(slashed);',
    by: 'return patterns.length === 0 ? always(slashed) : own(slashed);',
  },
  {
    kind: 'accepted and ignored, too',
    test: OUTCOME,
    name: 'stays the first one, whatever comes later',
    file: MACHINE,
    guard: 'if (this.#settled.has(completion.id)) return;',
    by: '',
  },
  {
    kind: 'several carets',
    test: OUTCOME,
    name: 'typed with several carets',
    file: 'extension/common/outcome/display.ts',
    guard: 'for (const edit of fromLast(edits)) {',
    by: 'for (const edit of edits.slice(0, 1)) {',
  },
  {
    kind: 'suggestion beside what IntelliSense has selected',
    test: 'test/unit/extension/present.test.ts',
    name: 'starts with what the suggest widget has selected, or stays away',
    file: 'extension/common/suggestion/present.ts',
    guard: 'whole.startsWith(selected) && ',
    by: '',
  },
  {
    kind: 'loading sign stuck',
    test: 'test/unit/extension/status.test.ts',
    name: 'has no sign of work that nothing ends',
    file: 'extension/common/status/statusView.ts',
    guard: 'if (underWay && pausedBecause === undefined) ',
    by: 'if (underWay) ',
  },
  {
    kind: 'typed-out acceptance uncounted',
    test: OUTCOME,
    name: 'typed out without a pause',
    file: VERDICT,
    guard:
      "if (share >= TYPED_THROUGH_SHARE) return { outcome: { kind: 'typedThrough', chars }, evidence: observed };",
    by: '',
  },
  {
    kind: 'rejection of what was never displayed',
    test: OUTCOME,
    name: 'is no rejection of what an editor that tells never displayed',
    file: VERDICT,
    guard: ' || (editorTells && display.editorShownAt === undefined)',
    by: '',
  },
  {
    kind: 'rejection of what nobody can have read',
    test: OUTCOME,
    name: 'another key before it can have been read',
    file: VERDICT,
    guard: 'display.longestStillMs >= DISPLAY_MIN_MS && ',
    by: '',
  },
  {
    kind: 'partial acceptance over-counted',
    test: OUTCOME,
    name: 'CRLF counted as LF',
    file: 'extension/common/outcome/display.ts',
    guard: 'return toLf(display.offer',
    by: 'return (display.offer',
  },

  {
    kind: 'request without a stop string answers nothing',
    test: 'test/service/inferenceService.test.ts',
    name: 'does without `stop`, and with an empty one',
    file: 'trainer/server/inference/completions.ts',
    guard: "body.stop.filter((stop) => stop !== '')",
    by: 'body.stop',
  },
  {
    kind: 'feedback dropped with a success',
    test: 'test/service/feedbackService.test.ts',
    name: 'answers 503 when the queue is full',
    file: 'trainer/server/feedback/submit.ts',
    guard: 'if (waiting < maxQueued) return;',
    by: 'return;',
  },
  {
    kind: 'feedback not joined to its request',
    test: 'test/service/feedbackService.test.ts',
    name: 'join by prompt and text when the id is the tracker',
    file: 'trainer/server/feedback/flat.ts',
    guard: 'return store.completions.findByPrompt(prompts, body.completion);',
    by: 'return null;',
  },
];
