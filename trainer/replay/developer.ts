import {
  DEFAULT_WORKSPACE,
  type CompletionRequestInput,
  type CompletionResponse,
  type DisplayDecision,
  type FeedbackEvent,
} from '../../extension/common/contracts/index.ts';
import { hideUnlikely } from '../../extension/common/display/decision.ts';
import { applyFilters, type FilterResult } from '../../extension/common/filters/index.ts';
import type { OfferedCompletion } from '../../extension/common/outcome/index.ts';
import { lineRequest } from '../../extension/common/prompt/request.ts';
import { promptWindow, type PromptWindow } from '../../extension/common/prompt/window.ts';
import type { SimulatedEditor } from './editor.ts';
import type { SourceFile } from './files.ts';
import { reactionTo, type Habits, type Reaction } from './habits.ts';
import type { Position } from './positions.ts';
import type { Random } from '../../extension/common/random.ts';
import { keyedRandom } from './random.ts';
import type { ContextOf } from './workspace.ts';

/** Suggestions that may follow each other in one line, each asked for after the one before was accepted. */
const MOST_FOLLOW_UPS = 3;
const SHORTEST_FOLLOW_UP_CHARS = 3;
/** Accepted text that is not wanted after all is away for this long, past the last look at its survival. */
const DELETED_FOR_MS = 610_000;

/** Longer than the two minutes' survival, after which everything about a suggestion is known. */
const BREAK_MS = 125_000;

/** What the services answer, as far as the developer's editor looks at it. */
interface CompletedAnswer {
  id: string;
  text: string;
  adapterVersion: number;
  /** Absent: nothing is predicted. */
  acceptance?: CompletionResponse['acceptance'];
}

/** The services as the developer's editor sees them. */
export interface Companion {
  complete(request: CompletionRequestInput): Promise<CompletedAnswer>;
  submit(events: FeedbackEvent[]): Promise<void>;
}

type Filtered = FilterResult & { display?: DisplayDecision };

/** One request of the stream and what came of it. */
export interface Exchange extends Position {
  completionId: string;
  adapterVersion: number;
  /** Asked for right after an accepted suggestion. */
  followUp: boolean;
  raw: string;
  shown: string;
  hiddenBy?: string;
  silent: boolean;
  reaction: Reaction['kind'] | 'none';
  /** What the developer typed there, to the end of the line. */
  rest: string;
  /** Characters put in by the suggestion. */
  takenChars: number;
}

interface DeveloperOptions {
  habits: Habits;
  seed: number;
  session: string;
  /** What the prompts show beside the document. */
  context: ContextOf;
  /** What will hardly be taken is hidden. */
  displayFilter: boolean;
  /**
   * Called before a line is begun, when everything known has been submitted; lockstep trains here. After
   * `takeBreak`, in which the virtual time of every open question passes, nothing is left to be settled.
   */
  beforeLine: (takeBreak: () => Promise<void>) => Promise<void>;
  onExchange: (exchange: Exchange) => void;
}

/** Types real code again, asks for suggestions and reacts to them. Every choice follows from the seed. */
export class SimulatedDeveloper {
  readonly #editor: SimulatedEditor;
  readonly #companion: Companion;
  readonly #options: DeveloperOptions;

  constructor(editor: SimulatedEditor, companion: Companion, options: DeveloperOptions) {
    this.#editor = editor;
    this.#companion = companion;
    this.#options = options;
  }

  /**
   * Types one file. The document shows below the caret what the file has there; a line without a pause is typed
   * in one go, its time passes all the same.
   */
  async typeFile(file: SourceFile, pauses: readonly Position[]): Promise<void> {
    const lines = file.text.split('\n');
    this.#editor.open(file.path, file.text);
    let lineStart = 0;
    for (const [number, line] of lines.entries()) {
      const here = pauses.filter((pause) => pause.line === number);
      if (here.length > 0) await this.#typeLine(file, line, lineStart, here);
      else this.#editor.clock.advance(line.trim().length * this.#options.habits.keystrokeMs);
      this.#editor.tick();
      lineStart += line.length + 1;
    }
    await this.#submitKnown();
  }

  /** Puts the keyboard away: waits until every survival is measured, then closes the window. */
  async finish(): Promise<void> {
    const TEN_MINUTES_MS = 610_000;
    this.#editor.clock.advance(TEN_MINUTES_MS);
    this.#editor.tick();
    this.#editor.shutdown();
    await this.#submitKnown();
  }

  async #typeLine(file: SourceFile, line: string, lineStart: number, pauses: Position[]): Promise<void> {
    const editor = this.#editor;
    editor.moveTo(lineStart);
    editor.tick();
    await this.#submitKnown();
    await this.#options.beforeLine(() => this.#takeBreak());
    editor.replace(lineStart, line.length, '', 'tool');
    const taken: { offset: number; text: string }[] = [];
    for (const pause of pauses) {
      if (lineStart + pause.column < editor.caret) continue;
      this.#typeOn(line.slice(editor.caret - lineStart, pause.column), 0);
      for (let followUp = 0; followUp <= MOST_FOLLOW_UPS; followUp++) {
        const column = editor.caret - lineStart;
        const exchange = await this.#ask(file, { ...pause, column }, line.slice(column), followUp > 0);
        if (exchange.takenChars > 0)
          taken.push({ offset: lineStart + column, text: exchange.shown.slice(0, exchange.takenChars) });
        const left = line.slice(editor.caret - lineStart).trim();
        if (exchange.takenChars === 0 || left.length < SHORTEST_FOLLOW_UP_CHARS) break;
      }
    }
    this.#typeOn(line.slice(editor.caret - lineStart), 0);
    // Enter: the caret goes to the next line, and what stands in this one is final.
    editor.clock.advance(this.#options.habits.keystrokeMs);
    editor.moveTo(Math.min(editor.text.length, lineStart + line.length + 1));
    const random = keyedRandom(this.#options.seed, `delete ${file.path} ${pauses[0]!.line}`);
    const last = taken.at(-1);
    if (last !== undefined && random.chance(this.#options.habits.deleteShare)) this.#thinkAgain(last);
  }

  async #takeBreak(): Promise<void> {
    this.#editor.clock.advance(BREAK_MS);
    this.#editor.tick();
    await this.#submitKnown();
  }

  /** Takes accepted text out, and puts it back when its survival has been measured. */
  #thinkAgain({ offset, text }: { offset: number; text: string }): void {
    const readMs = this.#options.habits.readMs;
    this.#editor.clock.advance(readMs);
    this.#editor.tick();
    this.#editor.replace(offset, text.length, '', 'typing');
    this.#editor.clock.advance(DELETED_FOR_MS);
    this.#editor.tick();
    this.#editor.replace(offset, 0, text, 'typing');
  }

  async #ask(file: SourceFile, at: Position, restOfLine: string, followUp: boolean): Promise<Exchange> {
    const editor = this.#editor;
    editor.tick();
    await this.#submitKnown();
    const key = `${file.path} ${at.line} ${at.column}`;
    const window = promptWindow(editor.text, editor.caret, file.path);
    const answer = await this.#companion.complete({
      ...lineRequest(window, {
        workspace: DEFAULT_WORKSPACE,
        language: file.language,
        session: this.#options.session,
        documentVersion: editor.version,
        offset: editor.caret,
        askedAt: editor.clock.now,
        record: true,
        files: this.#options.context(window, editor.text),
      }),
      seed: keyedRandom(this.#options.seed, `sample ${key}`).below(2 ** 31 - 1),
    });
    const filtered = this.#filter(answer, window, key);
    const rest = restOfLine.trimEnd();
    const { reaction, takenChars } = this.#react(file, answer, window, filtered, rest, key);
    const exchange: Exchange = {
      ...at,
      completionId: answer.id,
      adapterVersion: answer.adapterVersion,
      followUp,
      raw: answer.text,
      shown: filtered.text,
      ...(filtered.hiddenBy === undefined ? {} : { hiddenBy: filtered.hiddenBy }),
      silent: filtered.silent,
      reaction,
      rest,
      takenChars,
    };
    this.#options.onExchange(exchange);
    return exchange;
  }

  #filter({ text, acceptance }: CompletedAnswer, window: PromptWindow, key: string): Filtered {
    const filtered = applyFilters(text, window);
    if (!this.#options.displayFilter) return filtered;
    const draw = keyedRandom(this.#options.seed, `explore ${key}`).share();
    return hideUnlikely(filtered, acceptance, draw);
  }

  #react(
    file: SourceFile,
    answer: { id: string; text: string },
    window: PromptWindow,
    filtered: Filtered,
    rest: string,
    key: string,
  ): { reaction: Exchange['reaction']; takenChars: number } {
    const editor = this.#editor;
    const facts = {
      id: answer.id,
      document: editor.document,
      caret: editor.caret,
      suggestWidget: false,
      filters: filtered.filters,
      display: filtered.display,
      language: file.language,
      relativePath: window.path,
      workspaceKey: DEFAULT_WORKSPACE,
      documentVersion: editor.version,
      session: this.#options.session,
    };
    if (filtered.text === '') {
      editor.withhold({ ...facts, rawText: answer.text, by: filtered.silent ? null : filtered.hiddenBy! });
      return { reaction: 'none', takenChars: 0 };
    }
    const offer: OfferedCompletion = {
      ...facts,
      start: editor.caret,
      replaced: 0,
      insertText: filtered.text,
    };
    const random = keyedRandom(this.#options.seed, `react ${key}`);
    const reaction = reactionTo(filtered.text, rest, this.#options.habits, random);
    editor.offer(offer);
    return { reaction: reaction.kind, takenChars: this.#carryOut(reaction, offer, rest, random) };
  }

  /** Characters that the suggestion put in. */
  #carryOut(reaction: Reaction, offer: OfferedCompletion, rest: string, random: Random): number {
    const editor = this.#editor;
    const { habits } = this.#options;
    editor.clock.advance(
      reaction.kind === 'ignore' ? habits.keystrokeMs : habits.readMs + random.share() * habits.readSpreadMs,
    );
    switch (reaction.kind) {
      case 'accept':
        editor.accept(offer);
        return offer.insertText.length;
      case 'acceptWords':
        editor.acceptWords(offer.insertText.slice(0, reaction.chars), habits.keystrokeMs);
        // The word that was meant instead.
        this.#typeOn(
          /^[^\p{L}\p{N}]*[\p{L}\p{N}_$]*/u.exec(rest.slice(reaction.chars))![0],
          Number.POSITIVE_INFINITY,
        );
        return reaction.chars;
      case 'escape':
        editor.escape();
        return 0;
      case 'moveAway':
        this.#lookElsewhere();
        return 0;
      case 'type':
      case 'ignore':
        this.#typeOn(rest.slice(0, offer.insertText.length + 1), Number.POSITIVE_INFINITY);
        return 0;
    }
  }

  /** The caret goes to the start of the line and comes back; from there it can only be Escape. */
  #lookElsewhere(): void {
    const { caret, text } = this.#editor;
    const lineStart = text.lastIndexOf('\n', caret - 1) + 1;
    if (lineStart === caret) {
      this.#editor.escape();
      return;
    }
    this.#editor.moveTo(lineStart);
    this.#editor.clock.advance(this.#options.habits.readMs);
    this.#editor.tick();
    this.#editor.moveTo(caret);
  }

  #typeOn(text: string, keyByKeyChars: number): void {
    this.#editor.type(text, keyByKeyChars, this.#options.habits.keystrokeMs);
  }

  async #submitKnown(): Promise<void> {
    const events = this.#editor.takeFeedback();
    if (events.length > 0) await this.#companion.submit(events);
  }
}
