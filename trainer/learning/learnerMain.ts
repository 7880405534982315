/** The learner process: requests come in on standard input, replies go out on standard output, a line each. */
import { createInterface } from 'node:readline';
import { learnerRequestSchema } from '../../extension/common/contracts/index.ts';
import { Learner } from './learner.ts';

const learner = new Learner((reply) => process.stdout.write(JSON.stringify(reply) + '\n'));

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const request = parse(line);
    if (request?.type === 'shutdown') process.exit(0);
    if (request) learner.handle(request);
  })
  // The companion is gone: nobody would take the result.
  .on('close', () => process.exit(0));

function parse(line: string): ReturnType<typeof learnerRequestSchema.parse> | null {
  try {
    return learnerRequestSchema.parse(JSON.parse(line));
  } catch (error) {
    const message = `The learner cannot read a request: ${String(error)}`;
    process.stdout.write(JSON.stringify({ type: 'error', id: null, code: 'bad_request', message }) + '\n');
    return null;
  }
}
