import { ProgressBar } from '../progressBar.ts';
import type { JudgeListener } from './run.ts';

const SECONDS_PER_MINUTE = 60;
const MINUTES_PER_HOUR = 60;

/** A bar with the time that is left on a terminal, lines elsewhere; on standard error, beside the answer. */
export class JudgeProgress implements JudgeListener {
  private readonly stream: NodeJS.WriteStream;
  private readonly bar: ProgressBar;
  private total = 1;
  private done = 0;
  private doneBefore = 0;
  private startedAt = 0;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.stream = stream;
    this.bar = new ProgressBar(stream, '{what} [{bar}] {percentage} %, {left}');
  }

  onStart(total: number, done: number): void {
    this.total = total;
    this.done = done;
    this.doneBefore = done;
    this.startedAt = performance.now();
  }

  onProgress(prompts: number, what: string): void {
    this.done += prompts;
    const seconds = (performance.now() - this.startedAt) / 1000;
    const left = timeLeft(seconds, this.done - this.doneBefore, this.total - this.done);
    this.bar.show(this.done, this.total, { what, left });
  }

  say(text: string): void {
    this.stop();
    this.stream.write(`${text}\n`);
  }

  stop(): void {
    this.bar.stop();
  }
}

/** How long the rest takes at the pace of this start so far, which the bar forgets with every sentence. */
export function timeLeft(seconds: number, done: number, left: number): string {
  const rest = Math.round((seconds / done) * left);
  if (rest < SECONDS_PER_MINUTE) return `${rest} s left`;
  const minutes = Math.round(rest / SECONDS_PER_MINUTE);
  if (minutes < MINUTES_PER_HOUR) return `${minutes} min left`;
  return `${Math.floor(minutes / MINUTES_PER_HOUR)} h ${minutes % MINUTES_PER_HOUR} min left`;
}
