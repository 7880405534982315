import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { openLearningService } from '../fixtures/learningService.ts';
import { outcomeEvent } from '../fixtures/records.ts';
import { openTinyEngine } from '../fixtures/tinyEngine.ts';

const MAX_BYTES = 600_000;

describe('feedback service without room to write', () => {
  it('answers 503 and stores nothing, then takes the same event when there is room', async () => {
    const tiny = await openTinyEngine();
    let service = await openLearningService({}, { tiny, maxBytes: MAX_BYTES });
    const event = {
      ...outcomeEvent({ id: uuidv7() }, { kind: 'accepted' }),
      note: 'x'.repeat(2 * MAX_BYTES),
    };
    const { status, body } = await service.call('POST', '/api/training/submit', event);
    assert.equal(status, 503);
    assert.equal(body.error.code, 'storage_full');
    assert.match(body.error.message, /No space left.*nothing was stored/);
    assert.equal((await service.status()).stored, 0, 'the service still answers');
    const small = outcomeEvent({ id: uuidv7() }, { kind: 'accepted' });
    await service.submit(small);
    await service.close();

    service = await openLearningService({}, { tiny });
    assert.equal((await service.status()).stored, 1);
    await service.submit(event);
    assert.equal((await service.status()).stored, 2);
    await service.close();
    await tiny.close();
  });
});
