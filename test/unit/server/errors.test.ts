import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { errorBody, ERROR_STATUS, HoneError } from '../../../trainer/server/shared/errors.ts';

const ROW = /^\|\s*`(\w+)`\s*\|\s*(\d{3})\s*\|\s*\S.*\|\s*\S.*\|$/;

describe('coded errors', () => {
  it('are exactly those of docs/errors.md, with their status', () => {
    const rows = readFileSync('docs/errors.md', 'utf8')
      .split('\n')
      .map((line) => ROW.exec(line))
      .filter((match) => match !== null)
      .map((match) => [match[1]!, Number(match[2])] as const);
    assert.deepEqual(
      Object.fromEntries(rows.toSorted()),
      Object.fromEntries(Object.entries(ERROR_STATUS).toSorted()),
    );
    assert.equal(rows.length, Object.keys(ERROR_STATUS).length);
  });

  it('become an OpenAI-style body', () => {
    const error = new HoneError('invalid_request', 'Field "prompt": expected string.', { param: 'prompt' });
    assert.deepEqual(errorBody(error), {
      error: {
        message: 'Field "prompt": expected string.',
        type: 'invalid_request_error',
        code: 'invalid_request',
        param: 'prompt',
      },
    });
    assert.equal(errorBody(new HoneError('unauthorized', '')).error.type, 'authentication_error');
    assert.equal(errorBody(new HoneError('loading', '')).error.type, 'unavailable_error');
    assert.equal(errorBody(new HoneError('internal', '')).error.type, 'server_error');
  });
});
