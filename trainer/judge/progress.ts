import cliProgress from 'cli-progress';
import type { JudgeListener } from './run.ts';

/** A bar with the time that is left on a terminal, lines elsewhere; on standard error, beside the answer. */
export class JudgeProgress implements JudgeListener {
  private readonly stream: NodeJS.WriteStream;
  private bar: cliProgress.SingleBar | null = null;
  private total = 1;
  private done = 0;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.stream = stream;
  }

  onStart(total: number, done: number): void {
    this.total = total;
    this.done = done;
  }

  onProgress(prompts: number, what: string): void {
    this.done += prompts;
    if (!this.stream.isTTY) return;
    if (this.bar === null) {
      this.bar = new cliProgress.SingleBar({
        format: '{what} [{bar}] {percentage} % · {eta_formatted} left',
        stream: this.stream,
        hideCursor: true,
      });
      this.bar.start(this.total, this.done, { what });
    }
    this.bar.update(this.done, { what });
  }

  say(text: string): void {
    this.stop();
    this.stream.write(`${text}\n`);
  }

  stop(): void {
    this.bar?.stop();
    this.bar = null;
  }
}
