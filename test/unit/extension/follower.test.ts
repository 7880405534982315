import assert from 'node:assert/strict';
import { TypeThroughCache } from '../../../extension/common/cache/typeThroughCache.ts';
import type { FeedbackEvent } from '../../../extension/common/contracts/feedback.ts';
import { SuggestionFollower } from '../../../extension/common/suggestion/follower.ts';

const DOCUMENT = 'file:///a.ts';
const TEXT = 'x = ';
const SERVED_BY = { model: 'm', template: 'none', adapterVersion: 0, adapterScale: 1 };

describe('a suggestion that is followed', () => {
  let cache: TypeThroughCache;
  let follower: SuggestionFollower;
  beforeEach(() => {
    let ids = 0;
    cache = new TypeThroughCache();
    follower = new SuggestionFollower(() => `event-${++ids}`, cache);
  });

  /** Offers `foo` at the end of the text at time 0. */
  function offer(): void {
    const place = { document: DOCUMENT, start: TEXT.length, caret: TEXT.length, replaced: 0 };
    const facts = { language: '', relativePath: 'a.ts', workspaceKey: 'w', documentVersion: 1, session: '' };
    const completion = {
      id: 'a',
      ...place,
      ...facts,
      insertText: 'foo',
      suggestWidget: false,
      filters: [],
    };
    cache.put({ id: 'a', document: DOCUMENT, before: TEXT, after: '', text: 'foo', servedBy: SERVED_BY });
    follower.handle({ type: 'offered', document: DOCUMENT, text: TEXT, completion, at: 0 });
  }
  const isCached = () => cache.find(DOCUMENT, TEXT, '') !== undefined;
  const escape = () => follower.handle({ type: 'escape', document: DOCUMENT, at: 1000 });
  const kinds = (feedback: FeedbackEvent[]) => feedback.map(({ kind }) => kind);

  it('is not shown again after Escape, and that is recorded', () => {
    follower.restart(true);
    offer();
    assert.ok(isCached());
    assert.deepEqual(kinds(escape()), ['outcome']);
    assert.ok(!isCached());
  });

  it('is not shown again after Escape with recording off, and nothing is recorded', () => {
    follower.restart(false);
    offer();
    assert.ok(follower.tracker.isDisplayed(DOCUMENT));
    assert.ok(isCached());
    assert.deepEqual(escape(), []);
    assert.ok(!isCached());
    // The correction would come now.
    assert.deepEqual(follower.handle({ type: 'tick', at: 100_000 }), []);
    assert.deepEqual(follower.handle({ type: 'shutdown', at: 100_001 }), []);
  });

  /** A change at the end of the text by the developer or an undo, and the caret movement that follows it. */
  function change(text: string, offset: number, deleted: number, inserted: string, undo = false): void {
    const edits = [{ offset, deleted, inserted }];
    const origin = undo ? 'undo' : 'typing';
    follower.handle({ type: 'change', document: DOCUMENT, edits, origin, text, at: 500 });
    follower.handle({ type: 'selection', document: DOCUMENT, caret: text.length, text, at: 500 });
  }
  const restAt = (text: string) => {
    const hit = cache.find(DOCUMENT, text, '');
    return hit && [hit.suggestion.id, hit.suggestion.text.slice(hit.typed)];
  };

  it('goes on where it was after typing, backspace and undo, as the same suggestion', () => {
    follower.restart(true);
    offer();
    change('x = f', 4, 0, 'f');
    change('x = fo', 5, 0, 'o');
    assert.deepEqual(restAt('x = fo'), ['a', 'o']);
    change('x = f', 5, 1, '');
    assert.deepEqual(restAt('x = f'), ['a', 'oo']);
    change('x = ', 4, 1, '', true);
    assert.deepEqual(restAt('x = '), ['a', 'foo']);
    assert.ok(follower.tracker.isOpen('a'));
    assert.deepEqual(kinds(follower.handle({ type: 'accept', id: 'a', at: 600 })), ['outcome']);
  });

  it('is not shown again when its acceptance is undone', () => {
    follower.restart(true);
    offer();
    change('x = foo', 4, 0, 'foo');
    follower.handle({ type: 'accept', id: 'a', at: 520 });
    change('x = ', 4, 3, '', true);
    assert.equal(restAt('x = '), undefined);
  });

  it('is not recorded before it is said that it may be', () => {
    offer();
    assert.deepEqual(escape(), []);
  });

  for (const recording of [true, false]) {
    it(`is forgotten when recording is switched ${recording ? 'on' : 'off'}`, () => {
      follower.restart(!recording);
      offer();
      follower.restart(recording);
      assert.ok(!isCached());
      assert.ok(!follower.tracker.isDisplayed(DOCUMENT));
      assert.deepEqual(escape(), []);
      assert.deepEqual(follower.handle({ type: 'shutdown', at: 2000 }), []);
    });
  }
});
