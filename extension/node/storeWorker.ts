/** Thread that owns the database connection: a durable commit can take tens of milliseconds on a slow disk. */
import { parentPort, workerData } from 'node:worker_threads';
import { OPENED_ID, type StoreReply, type StoreRequest } from './store.ts';
import { StoreDatabase } from './storeDatabase.ts';

const port = parentPort!;
const database = new StoreDatabase((workerData as { path: string }).path);
port.postMessage({ id: OPENED_ID, result: null } satisfies StoreReply);

port.on('message', (request: StoreRequest) => {
  port.postMessage(answer(request));
  if (request.method === 'close') port.close();
});

function answer({ id, method, args }: StoreRequest): StoreReply {
  try {
    const methods = database as unknown as Record<string, (...given: unknown[]) => unknown>;
    return { id, result: methods[method]!(...args) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
