/** Thread that owns the index of the workspace's files: reading and counting words never hold up typing. */
import { parentPort } from 'node:worker_threads';
import { WorkspaceIndex } from '../workspace/workspaceIndex.ts';
import type { ContextReply, ContextRequest } from './contextThread.ts';

/** Work between two looks at the messages: a question waits no longer than this and one file. */
const SLICE_MS = 5;
/** The processor is for the editor and the companion first. */
const REST_MS = 5;

const port = parentPort!;
let index: WorkspaceIndex | null = null;
let jobs: { steps: Iterator<void>; whenDone: () => void }[] = [];
let timer: NodeJS.Timeout | undefined;

port.on('message', (request: ContextRequest) => {
  switch (request.kind) {
    case 'workspace': {
      const began = performance.now();
      const own = request.workspace === null ? null : new WorkspaceIndex(request.workspace);
      index = own;
      jobs = [];
      if (own)
        start(own.scan(), () =>
          post({ kind: 'indexed', report: own.report(), ms: performance.now() - began }),
        );
      return;
    }
    case 'changed':
      if (index) start(index.changed(request.paths));
      return;
    case 'document':
      if (request.text === null) start(index?.close(request.path) ?? []);
      else index?.open(request.path, request.text);
      return;
    case 'ask':
      post({ kind: 'answer', id: request.id, context: index?.contextFor(request.place) ?? null });
      return;
    case 'close':
      clearTimeout(timer);
      port.close();
  }
});

function start(steps: Iterable<void>, whenDone: () => void = () => undefined): void {
  jobs.push({ steps: steps[Symbol.iterator](), whenDone });
  timer ??= setTimeout(work, 0);
}

function work(): void {
  const end = performance.now() + SLICE_MS;
  for (let job = jobs[0]; job !== undefined && performance.now() < end; job = jobs[0]) {
    if (job.steps.next().done !== true) continue;
    jobs.shift();
    job.whenDone();
  }
  timer = jobs.length === 0 ? undefined : setTimeout(work, REST_MS);
}

function post(reply: ContextReply): void {
  port.postMessage(reply);
}
