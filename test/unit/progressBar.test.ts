import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { ProgressBar } from '../../trainer/progressBar.ts';

describe('a progress bar', () => {
  function draw(isTTY: boolean): string {
    const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 });
    const bar = new ProgressBar(stream as unknown as NodeJS.WriteStream, '{what} {value}/{total}');
    bar.show(1, 4, { what: 'reading' });
    bar.show(2, 5, { what: 'reading' });
    bar.stop();
    bar.stop();
    bar.show(3, 6, { what: 'writing' });
    bar.stop();
    return stripVTControlCharacters(String((stream.read() as Buffer | null) ?? ''));
  }

  it('is drawn on a terminal, anew after it was ended', () => {
    assert.match(draw(true), /reading 2\/5.*writing 3\/6/s);
  });

  it('is nothing elsewhere', () => assert.equal(draw(false), ''));
});
