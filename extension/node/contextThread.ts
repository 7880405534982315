import { Worker } from 'node:worker_threads';
import type { PackedContext } from '../common/context/pack.ts';
import type { IndexReport, PlaceQuery, WorkspaceOptions } from '../workspace/workspaceIndex.ts';

/** The index of 50,000 files takes a fifth of it; beyond it the thread ends, and not the extension host. */
const HEAP_MB_MAX = 512;

/** Paths are absolute in `changed`, and as the prompt shows them everywhere else. */
export type ContextRequest =
  | { kind: 'workspace'; workspace: WorkspaceOptions | null }
  | { kind: 'changed'; paths: string[] }
  | { kind: 'document'; path: string; text: string | null }
  | { kind: 'ask'; id: number; place: PlaceQuery }
  | { kind: 'close' };

export type ContextReply =
  | { kind: 'indexed'; report: IndexReport; ms: number }
  | { kind: 'answer'; id: number; context: PackedContext | null };

interface ThreadOptions {
  /** The thread's script. */
  script: string;
  log: (level: 'info' | 'warn', message: string) => void;
}

/**
 * The index of the workspace, on its own thread. Nothing here waits: what is told is posted, and a question that
 * comes while a large file is read is answered after it.
 */
export class ContextThread {
  readonly #options: ThreadOptions;
  readonly #waiting = new Map<number, (context: PackedContext | null) => void>();
  #asked = 0;
  #worker: Worker | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Indexes these folders from now on; null: none, and what was indexed is forgotten with its thread. */
  index(workspace: WorkspaceOptions | null): void {
    if (workspace === null) this.close();
    else {
      this.#worker ??= this.#start();
      this.#post({ kind: 'workspace', workspace });
    }
  }

  /** The file watcher saw these absolute paths made, changed or deleted. */
  changed(paths: string[]): void {
    this.#post({ kind: 'changed', paths });
  }

  /** The text of an open document; null: it was closed, and its file counts again. */
  document(path: string, text: string | null): void {
    this.#post({ kind: 'document', path, text });
  }

  /** What to show beside the text around a caret; null when there is no index. */
  ask(place: PlaceQuery): Promise<PackedContext | null> {
    if (!this.#worker) return Promise.resolve(null);
    const id = ++this.#asked;
    const answered = new Promise<PackedContext | null>((resolve) => this.#waiting.set(id, resolve));
    this.#post({ kind: 'ask', id, place });
    return answered;
  }

  close(): void {
    this.#post({ kind: 'close' });
    this.#ended();
  }

  #post(request: ContextRequest): void {
    this.#worker?.postMessage(request);
  }

  #start(): Worker {
    const worker = new Worker(this.#options.script, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    worker.on('message', (reply: ContextReply) => {
      if (reply.kind === 'answer') this.#answer(reply.id, reply.context);
      else if (worker === this.#worker) this.#tell(reply.report, reply.ms);
    });
    worker.on('error', (error: Error) => {
      if (worker !== this.#worker) return;
      this.#options.log(
        'warn',
        `The index of the workspace ended: ${error.message}. Completions go on without other files until the window is reloaded.`,
      );
      this.#ended();
    });
    // An index that nobody asks keeps no process alive.
    worker.unref();
    return worker;
  }

  #answer(id: number, context: PackedContext | null): void {
    this.#waiting.get(id)?.(context);
    this.#waiting.delete(id);
  }

  #ended(): void {
    this.#worker = undefined;
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }

  #tell(report: IndexReport, ms: number): void {
    this.#options.log('info', `Index of the workspace: ${report.summary}, in ${Math.round(ms)} ms.`);
    for (const limit of report.limits) this.#options.log('warn', `Index of the workspace: ${limit}`);
  }
}
