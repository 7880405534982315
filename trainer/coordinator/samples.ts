import type { Sample, ScoreItem } from '../../extension/common/contracts/index.ts';
import { isHeldOut, prefixOf } from '../store/heldOut.ts';
import type { OutcomeFacts, StoredCompletion, TrainingFacts } from '../store/types.ts';
import { isTakenWhole, usesOf } from './eligibility.ts';
import type { TrainingSettings } from './settings.ts';
import { tokensSpelling, type TextTools } from './text.ts';

export interface SampleContext {
  modelHash: string;
  text: TextTools;
  settings: TrainingSettings;
  /** Versions whose completions are recent enough for a policy term and whose adapter can be loaded. */
  recentVersions: ReadonlySet<number>;
}

interface BuiltSample {
  /** Its policy term has advantage = reward; the caller takes the baseline off. */
  sample: Sample;
  /** Null: no policy term. */
  reward: number | null;
  /** Chance of acceptance as predicted before anything was generated; null: it wasn't. */
  before: number | null;
  /** The policy term was left out because the completion was served too many versions ago. */
  stale: boolean;
}

/** Text longer than this per token that is wanted of it is cut before it is tokenised. */
const MAX_CHARS_PER_TOKEN = 32;
/** The least text for which "stands in the prompt before" says anything. */
const MIN_TELLING_CHARS = 8;

/**
 * One event as token ids: what was generated and how much of it the reward is for, what the developer typed or kept,
 * and what was typed in the prompt since the request before.
 *
 * @returns null when no term is left.
 */
export function buildSample(training: TrainingFacts, context: SampleContext): BuiltSample | null {
  const { facts, completion } = training;
  const uses = usesOf(facts, context.modelHash, context.settings);
  const rewarded = uses.policy === null ? 0 : rewardedTokens(training, context.text);
  const usable = uses.policy !== null && rewarded > 0;
  const stale = usable && !context.recentVersions.has(completion.adapterVersion);
  const sample: Sample = { eventId: facts.eventId, prompt: promptOf(completion, context) };

  if (usable && !stale) {
    sample.policy = {
      tokens: completion.generatedTokens,
      rewarded,
      advantage: uses.policy!.reward,
      weight: uses.policy!.weight,
      temperature: completion.sampling.temperature,
      adapterVersion: completion.adapterVersion,
      adapterScale: completion.adapterScale,
      ...engineLogprobs(completion),
    };
  }
  const supervised = uses.supervised === null ? null : supervisedTerm(training, uses.supervised, context);
  if (supervised !== null) sample.supervised = supervised;
  if (sample.policy === undefined && sample.supervised === undefined) return null;
  const spans = contextSpans(training, sample.prompt, context);
  if (spans.length > 0) sample.context = { spans, weight: 1 };
  const reward = sample.policy === undefined ? null : uses.policy!.reward;
  return { sample, reward, before: completion.prediction?.before ?? null, stale };
}

/**
 * A settled held-out event as a text to score, what was really typed or kept after its prompt.
 *
 * @returns null when that is not known or empty.
 */
export function buildScoreItem(training: TrainingFacts, context: SampleContext): ScoreItem | null {
  const { facts, completion } = training;
  const kept = isTakenWhole(facts) && (facts.retention?.fraction ?? 1) >= 1 ? facts.shownText : null;
  const truth = facts.correction?.typed ?? kept;
  if (truth === null || truth === '') return null;
  const target = targetTokens(truth, false, context);
  if (target.length === 0) return null;
  return { id: facts.eventId, prompt: promptOf(completion, context), target };
}

function promptOf(completion: StoredCompletion, { modelHash, text }: SampleContext): number[] {
  if (completion.promptTokens !== null && completion.modelHash === modelHash) return completion.promptTokens;
  const tokens = text.promptTokens(completion.promptText);
  return tokens.length > 0 ? tokens : [text.endOfText];
}

/**
 * How many generated tokens the reward is for: the shown ones, and the ending one unless a filter trimmed the text.
 * 0 when a filter rewrote the text, because then nobody judged what the model wrote.
 */
function rewardedTokens({ facts, completion }: TrainingFacts, text: TextTools): number {
  const { generatedTokens, rawText } = completion;
  if (facts.outcome.kind === 'silent' || facts.shownText === rawText) return generatedTokens.length;
  if (!rawText.startsWith(facts.shownText)) return 0;
  return tokensSpelling(generatedTokens, facts.shownText, false, text.detokenize);
}

function engineLogprobs(completion: StoredCompletion): { engineLogprobs?: number[] } {
  const values = completion.generatedLogprobs;
  if (values.length !== completion.generatedTokens.length || values.some((value) => value === null))
    return {};
  return { engineLogprobs: values as number[] };
}

function supervisedTerm(
  { facts, completion }: TrainingFacts,
  source: 'correction' | 'accepted',
  context: SampleContext,
): Sample['supervised'] | null {
  if (source === 'correction') {
    return { source, tokens: targetTokens(facts.correction!.typed!, true, context), weight: 1 };
  }
  const weight = isTakenWhole(facts) ? (facts.retention?.fraction ?? 1) : 1;
  const tokens = acceptedTokens({ facts, completion }, context).slice(0, context.settings.maxTargetTokens);
  return tokens.length === 0 ? null : { source, tokens, weight };
}

/** The text that was taken, in the ids that were generated where they spell it, else tokenised. */
function acceptedTokens(
  { facts, completion }: Pick<TrainingFacts, 'facts' | 'completion'>,
  context: SampleContext,
): number[] {
  const { modelHash, text } = context;
  const taken = takenText(facts);
  const own = completion.source === 'served' && completion.modelHash === modelHash;
  if (own && taken === completion.rawText) return completion.generatedTokens;
  if (own && completion.rawText.startsWith(taken)) {
    const count = tokensSpelling(completion.generatedTokens, taken, true, text.detokenize);
    return completion.generatedTokens.slice(0, count);
  }
  // A client's flat body is about the whole text that its model wrote: ending there was right.
  return targetTokens(taken, facts.origin === 'flat', context);
}

/** The first tokens of a text, `maxTargetTokens` at most, with the ending one behind the last when it is to be taught. */
function targetTokens(value: string, ends: boolean, { text, settings }: SampleContext): number[] {
  const whole = normalise(value);
  const read = whole.slice(0, settings.maxTargetTokens * MAX_CHARS_PER_TOKEN);
  const tokens = text.tokenize(read);
  if (ends && read.length === whole.length) tokens.push(text.endOfText);
  return tokens.slice(0, settings.maxTargetTokens);
}

function takenText(facts: OutcomeFacts): string {
  const { outcome, shownText } = facts;
  if (isTakenWhole(facts)) return shownText;
  const partly = outcome.kind === 'partiallyAccepted' || outcome.kind === 'typedThrough';
  return partly ? shownText.slice(0, outcome.chars) : '';
}

/**
 * Which tokens of the prompt are the developer's own text that no earlier event has taught: what was typed since the
 * request before in the same document, or all of the prefix where the document is new or the caret has gone on by
 * more than the prefix. Lines on the held-out side are left out, whether or not anything was asked for there.
 */
function contextSpans(
  { completion, previous }: TrainingFacts,
  prompt: number[],
  { text, settings }: SampleContext,
): [number, number][] {
  if (completion.heldOut || completion.promptTokens !== prompt) return [];
  const prefix = prefixOf(completion.promptText);
  // The caret's text must end the prompt, as it does in suffix-prefix-middle order, and its place must be known.
  if (!completion.promptText.endsWith(prefix) || completion.offset < prefix.length) return [];
  const chars = previous === null ? prefix.length : completion.offset - previous.offset;
  const fresh = Math.min(chars, prefix.length);
  if (fresh <= 0) return [];
  if (previous !== null && fresh < prefix.length && !isTyped(prefix, fresh, previous.promptText)) return [];
  const lines = taughtLines(completion, prefix);
  const taught = (from: number, to: number): boolean =>
    from >= prefix.length - fresh && lines.slice(from, to).every(Boolean);
  return taughtSpans(prompt, prefix.length, settings.maxContextTokens, text, taught);
}

/** For each character of the prefix, whether its line may be taught. A line whose start is not in sight may not. */
function taughtLines({ relativePath, offset }: StoredCompletion, prefix: string): boolean[] {
  const first = offset - prefix.length;
  let start = 0;
  let known = first === 0;
  return prefix.split(/(?<=\n)/).flatMap((line) => {
    const place = { relativePath, offset: first + start + 1, column: 1, promptText: '' };
    const may = known && !isHeldOut(place);
    start += line.length;
    known = true;
    return Array.from({ length: line.length }, () => may);
  });
}

/** Runs of tokens at the end of the prompt whose characters of the prefix, [from, to), are all `taught`. */
function taughtSpans(
  prompt: number[],
  prefixLength: number,
  maxTokens: number,
  text: TextTools,
  taught: (from: number, to: number) => boolean,
): [number, number][] {
  const spans: [number, number][] = [];
  let end = prefixLength;
  for (let index = prompt.length - 1; index >= Math.max(1, prompt.length - maxTokens); index--) {
    const start = prefixLength - text.detokenize(prompt.slice(index)).length;
    if (start < 0) break;
    if (taught(start, end)) {
      if (spans[0]?.[0] === index + 1) spans[0] = [index, spans[0][1]];
      else spans.unshift([index, index + 1]);
    }
    end = start;
  }
  return spans;
}

/** Whether the caret came here by typing the last `chars` of the prefix, not by a jump over text that was there. */
function isTyped(prefix: string, chars: number, previousPrompt: string): boolean {
  const typed = prefix.slice(prefix.length - chars);
  const before = prefix.slice(0, prefix.length - chars);
  const anchor = prefixOf(previousPrompt).slice(-MIN_TELLING_CHARS);
  return before.endsWith(anchor) && !(typed.length >= MIN_TELLING_CHARS && previousPrompt.includes(typed));
}

/** The model reads and writes LF only. */
function normalise(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
