import cliProgress from 'cli-progress';

/** A bar while it is shown on a terminal; elsewhere nothing. */
export class ProgressBar {
  readonly #stream: NodeJS.WriteStream;
  readonly #format: string;
  readonly #stays: boolean;
  #bar: cliProgress.SingleBar | undefined;

  /**
   * @param stream standard error, so that standard output is the answer
   * @param format cli-progress's own, with the names of `show`'s words in braces
   * @param options.stays the last state of a bar stays on the terminal
   */
  constructor(stream: NodeJS.WriteStream, format: string, { stays = false } = {}) {
    this.#stream = stream;
    this.#format = format;
    this.#stays = stays;
  }

  /** Draws how much is done, in a bar that begins now when none is shown. */
  show(done: number, total: number, words: Record<string, string>): void {
    if (!this.#stream.isTTY) return;
    if (this.#bar === undefined) {
      this.#bar = new cliProgress.SingleBar({
        format: this.#format,
        stream: this.#stream,
        hideCursor: true,
        clearOnComplete: !this.#stays,
      });
      this.#bar.start(total, done, words);
    }
    this.#bar.setTotal(total);
    this.#bar.update(done, words);
  }

  /** Ends the bar, so that something can be said. */
  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}
