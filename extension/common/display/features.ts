import { ONLY_CLOSERS } from '../filters/types.ts';
import { wordsOf } from '../outcome/retained.ts';
import type { AfterFeature, BeforeFeature } from './priors.ts';

/** Of the features and how they are computed: vectors of another version are not compared. */
export const FEATURE_VERSION = 1;
/** Share of suggestions that are taken where nothing is known. */
export const USUAL_ACCEPTANCE = 0.3;

const KNOWN_LANGUAGES = new Set([
  'javascript',
  'javascriptreact',
  'typescript',
  'typescriptreact',
  'python',
  // Not told: nothing is held against it.
  '',
]);
/** Usual values, at which a feature is 0. */
const USUAL_PREFIX_CHARS = 600;
const USUAL_SUFFIX_CHARS = 150;
const USUAL_PAUSE_SECONDS = 10;
const USUAL_TEXT_CHARS = 20;
const USUAL_SUM_LOGPROB = -4;
const USUAL_MEAN_LOGPROB = -0.5;
const USUAL_MIN_LOGPROB = -2;
const USUAL_BEGINNING = -1.5;
const USUAL_KNOWN_WORDS = 0.5;
/** Beyond these a doubt is no greater. */
const LEAST_SUM_LOGPROB = -15;
const LEAST_MEAN_LOGPROB = -3;
const LEAST_MIN_LOGPROB = -7;
const LEAST_BEGINNING = -8;
/** Tokens of a beginning. */
const BEGINNING_TOKENS = 3;

/** Where a suggestion is asked for. */
export interface AskFacts {
  /** Text before and after the caret as far as the prompt shows it, LF. */
  prefix: string;
  suffix: string;
  /** The editor's id of the language; empty: not told. */
  language: string;
}

/** What became of the suggestions before. */
export interface HistoryFacts {
  /** Since the last outcome; null: not known. */
  seconds: number | null;
  /** What the last one that was judged was worth, 0..1; null: none was. */
  previous: number | null;
  /** The same of the newest judged on average, of all and of this workspace's. */
  recent: number;
  recentWorkspace: number;
}

/** What the model wrote. */
export interface GeneratedFacts {
  text: string;
  /** Of each generated token, the ending one included, at temperature 1, nats. */
  logprobs: readonly number[];
  /** It came to its end, by itself or at a stop text. */
  finished: boolean;
}

/** What is known before a suggestion is made, in the order of `BEFORE_PRIORS`. */
export function featuresBefore({ prefix, suffix, language }: AskFacts, history: HistoryFacts): number[] {
  const linePrefix = prefix.slice(prefix.lastIndexOf('\n') + 1);
  const lineSuffix = suffix.split('\n', 1)[0]!.trim();
  const last = linePrefix.at(-1) ?? '';
  const features: Record<BeforeFeature, number> = {
    always: 1,
    lineStart: flag(linePrefix.trim() === ''),
    insideWord: flag(/[\p{L}\p{N}_$]/u.test(last)),
    afterMember: flag(last === '.'),
    afterOpener: flag(/[([{,=:]\s?$/.test(linePrefix)),
    closersRight: flag(lineSuffix !== '' && ONLY_CLOSERS.test(lineSuffix)),
    textRight: flag(lineSuffix !== '' && !ONLY_CLOSERS.test(lineSuffix)),
    comment: flag(/^\s*(?:\/\/|#|\*|\/\*|--)/.test(linePrefix)),
    otherLanguage: flag(!KNOWN_LANGUAGES.has(language)),
    longPrefix: tens(prefix.length, USUAL_PREFIX_CHARS),
    longSuffix: tens(suffix.length, USUAL_SUFFIX_CHARS),
    pause: history.seconds === null ? 0 : tens(Math.max(0, history.seconds), USUAL_PAUSE_SECONDS),
    previous: history.previous === null ? 0 : history.previous - USUAL_ACCEPTANCE,
    recent: history.recent - USUAL_ACCEPTANCE,
    recentWorkspace: history.recentWorkspace - USUAL_ACCEPTANCE,
  };
  return Object.values(features);
}

/** What is known of a text that is not empty after it was made, in the order of `AFTER_PRIORS`. */
export function featuresAfter({ text, logprobs, finished }: GeneratedFacts, ask: AskFacts): number[] {
  const sum = total(logprobs);
  const count = Math.max(1, logprobs.length);
  const words = wordsOf(text).filter((word) => /[\p{L}_]/u.test(word));
  const known = new Set(wordsOf(ask.prefix + '\n' + ask.suffix));
  const features: Record<AfterFeature, number> = {
    sumLogprob: Math.max(LEAST_SUM_LOGPROB, sum) - USUAL_SUM_LOGPROB,
    meanLogprob: Math.max(LEAST_MEAN_LOGPROB, sum / count) - USUAL_MEAN_LOGPROB,
    minLogprob: Math.max(LEAST_MIN_LOGPROB, Math.min(0, ...logprobs)) - USUAL_MIN_LOGPROB,
    beginning: Math.max(LEAST_BEGINNING, total(logprobs.slice(0, BEGINNING_TOKENS))) - USUAL_BEGINNING,
    length: Math.log((text.trim().length + 1) / USUAL_TEXT_CHARS),
    moreLines: flag(text.trim().includes('\n')),
    cut: flag(!finished),
    standsThere: flag(ask.prefix.includes(text.trim())),
    knownWords:
      words.length === 0
        ? 0
        : words.filter((word) => known.has(word)).length / words.length - USUAL_KNOWN_WORDS,
    noWords: flag(words.length === 0),
  };
  return Object.values(features);
}

const flag = (holds: boolean): number => (holds ? 1 : 0);

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** How many tens of times as large. */
function tens(value: number, usual: number): number {
  return Math.log10((value + 1) / (usual + 1));
}
