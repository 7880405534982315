import { ProgressBar } from '../progressBar.ts';
import type { ExperimentListener, Phase } from './experiment.ts';
import type { StreamProgress } from './stream.ts';

const PHASE_LABELS: Record<Phase, string> = {
  start: 'starting the services',
  before: 'asking on held-out files',
  teach: 'learning from the files as they are',
  stream: 'typing',
  after: 'asking on held-out files again',
  score: 'scoring held-out files',
};

/** A bar on a terminal, a line a phase elsewhere; on standard error, so that standard output is the answer. */
export class ReplayProgress implements ExperimentListener {
  readonly #stream: NodeJS.WriteStream;
  readonly #bar: ProgressBar;
  #label = '';

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
    this.#bar = new ProgressBar(stream, '{label} [{bar}] {value}/{total} {note}', { stays: true });
  }

  /** Names the arm and seed in front of every phase. */
  title = '';

  onPhase = (phase: Phase): void => {
    this.stop();
    this.#label = `${this.title} ${PHASE_LABELS[phase]}`.trim();
    if (!this.#stream.isTTY) this.#stream.write(`${this.#label}\n`);
  };

  onProgress = (done: number, total: number): void => {
    this.#show(done, total, '');
  };

  onStream = (progress: StreamProgress): void => {
    const version =
      progress.runs.findLast((run) => run.decision !== 'rejected' && run.version !== null)?.version ?? 0;
    const note = progress.training ? `learning, update ${progress.runs.length + 1}` : `adapter ${version}`;
    this.#show(progress.asked, Math.max(progress.asked, progress.planned), note);
  };

  /** A line that stays, behind the title. */
  say(text: string): void {
    this.stop();
    this.#stream.write(`${this.title} ${text}\n`.trimStart());
  }

  stop(): void {
    this.#bar.stop();
  }

  #show(done: number, total: number, note: string): void {
    this.#bar.show(done, total, { label: this.#label, note });
  }
}
