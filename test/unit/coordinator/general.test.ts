import assert from 'node:assert/strict';
import { generalItems, generalSamples } from '../../../trainer/coordinator/general.ts';
import gatePlaces from '../../../trainer/learning/general/general.json' with { type: 'json' };
import taughtPlaces from '../../../trainer/learning/general/replay.json' with { type: 'json' };
import type { TextTools } from '../../../trainer/coordinator/text.ts';

const END = 0;
/** Spells a text by its characters, a document by its path and prefix. */
const text: TextTools = {
  tokenize: (value) => [...value].map((character) => character.codePointAt(0)!),
  detokenize: (tokens) => String.fromCodePoint(...tokens),
  promptTokens: (value) => [...value].map((character) => character.codePointAt(0)!),
  documentTokens: ({ path, prefix }) => [...(path + prefix)].map((character) => character.codePointAt(0)!),
  endOfText: END,
};

describe('general code', () => {
  it('is taught from other packages than the gate asks about', () => {
    const names = (places: { package: string }[]) => new Set(places.map((place) => place.package));
    const asked = names(gatePlaces);
    assert.deepEqual(
      [...names(taughtPlaces)].filter((name) => asked.has(name)),
      [],
    );
    assert.equal(generalItems(text).length, gatePlaces.length);
  });

  it('is taught in turn, all of it before anything again', () => {
    const COUNT = 7;
    const updates = Math.ceil(taughtPlaces.length / COUNT);
    const seen = Array.from({ length: updates }, (_, i) => generalSamples(text, COUNT, i + 1))
      .flat()
      .map((sample) => sample.eventId);
    assert.equal(new Set(seen.slice(0, taughtPlaces.length)).size, taughtPlaces.length);
    assert.equal(seen[taughtPlaces.length], seen[0]);
    assert.deepEqual(
      generalSamples(text, COUNT, 3),
      generalSamples(text, COUNT, 3),
      'an update can be made again',
    );
    assert.deepEqual(generalSamples(text, 0, 1), []);
  });

  it('is what stands there, with the end of the line', () => {
    const [sample] = generalSamples(text, 1, 1);
    const [place] = taughtPlaces;
    assert.equal(sample!.supervised!.source, 'general');
    assert.equal(text.detokenize(sample!.supervised!.tokens.slice(0, -1)), place!.middle);
    assert.equal(sample!.supervised!.tokens.at(-1), END);
    assert.equal(text.detokenize(sample!.prompt), place!.path + place!.prefix);
  });
});
