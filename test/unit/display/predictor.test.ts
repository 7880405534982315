import assert from 'node:assert/strict';
import { featuresAfter, featuresBefore } from '../../../extension/common/display/features.ts';
import {
  chanceOf,
  learnLabel,
  priorPredictor,
  type Predictor,
} from '../../../extension/common/display/predictor.ts';
import { AFTER_PRIORS, BEFORE_PRIORS } from '../../../extension/common/display/priors.ts';
import { keyedRandom } from '../../../trainer/replay/random.ts';

const PRIORS = { ...BEFORE_PRIORS, ...AFTER_PRIORS };
const USUAL = { seconds: null, previous: null, recent: 0.3, recentWorkspace: 0.3 };

/** A place and a suggestion, drawn from a few kinds. */
function situation(index: number) {
  const random = keyedRandom(1, `situation ${index}`);
  const pick = <T>(options: T[]): T => options[random.below(options.length)]!;
  const place = {
    prefix: `const basket = open();\n${pick(['', '  basket.', '  const total = ', '  // what is '])}`,
    suffix: pick(['\n}', ')\n', ' || other;\n']),
    language: pick(['typescript', 'cobol']),
  };
  const logprobs = Array.from({ length: 1 + random.below(6) }, () => -3 * random.share());
  const text = pick(['basket;', 'addEverything(item)', 'x', ')']);
  const features = [
    ...featuresBefore(place, USUAL),
    ...featuresAfter({ text, logprobs, finished: true }, place),
  ];
  return { place, text, logprobs, features, draw: random.share() };
}

/** Predictions made before each label, and the predictor in the end. */
function streamed(count: number, judge: (one: ReturnType<typeof situation>) => number) {
  let predictor = priorPredictor(PRIORS);
  const seen: { chance: number; prior: number; label: number }[] = [];
  for (let index = 0; index < count; index++) {
    const one = situation(index);
    const label = judge(one);
    const prior = chanceOf(priorPredictor(PRIORS), one.features);
    seen.push({ chance: chanceOf(predictor, one.features), prior, label });
    predictor = learnLabel(predictor, one.features, label, 1);
  }
  return { predictor, seen };
}

const surprise = (chance: number, label: number): number => -Math.log(label === 1 ? chance : 1 - chance);
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('the acceptance predictor', () => {
  it('learns what one developer takes: members of things in sight, however unsure the model', () => {
    const takes = ({ place, text }: ReturnType<typeof situation>): number =>
      place.prefix.endsWith('.') && text !== ')' ? 1 : 0;
    const { seen } = streamed(400, takes);
    const late = seen.slice(200);
    const learned = mean(late.map(({ chance, label }) => surprise(chance, label)));
    const untaught = mean(late.map(({ prior, label }) => surprise(prior, label)));
    assert.ok(learned < 0.25, `surprise ${learned}`);
    assert.ok(learned < untaught / 2, `${learned} against ${untaught} without learning`);
    const [yes, no] = [1, 0].map((wanted) => late.filter(({ label }) => label === wanted));
    const ordered = yes!.flatMap((a) => no!.map((b) => (a.chance > b.chance ? 1 : 0)));
    assert.ok(mean(ordered) > 0.97, `${mean(ordered)} of the pairs in the right order`);
  });

  it('says the chances that come true', () => {
    const truth = [...priorPredictor(PRIORS).weights];
    truth[Object.keys(PRIORS).indexOf('afterMember')]! += 1.5;
    truth[Object.keys(PRIORS).indexOf('always')]! += 0.5;
    const logit = (features: number[]): number =>
      features.reduce((sum, value, i) => sum + value * truth[i]!, 0);
    const { seen } = streamed(3000, ({ features, draw }) =>
      draw < 1 / (1 + Math.exp(-logit(features))) ? 1 : 0,
    );
    const late = seen.slice(500).toSorted((a, b) => a.chance - b.chance);
    const FIFTHS = 5;
    for (let fifth = 0; fifth < FIFTHS; fifth++) {
      const part = late.slice((fifth * late.length) / FIFTHS, ((fifth + 1) * late.length) / FIFTHS);
      const [said, came] = [mean(part.map(({ chance }) => chance)), mean(part.map(({ label }) => label))];
      assert.ok(Math.abs(said - came) < 0.06, `said ${said}, came true ${came}`);
    }
  });

  it('gives nearly the same whatever the order of the labels', () => {
    const labelled = Array.from({ length: 60 }, (_, index) => {
      const { features, draw } = situation(index);
      return { features, label: draw < 0.4 ? 1 : 0 };
    });
    const taught = (list: typeof labelled): Predictor =>
      list.reduce((state, one) => learnLabel(state, one.features, one.label, 1), priorPredictor(PRIORS));
    const [forth, back] = [taught(labelled), taught(labelled.toReversed())];
    for (const { features } of labelled)
      assert.ok(Math.abs(chanceOf(forth, features) - chanceOf(back, features)) < 0.05);
  });

  it('becomes surer with every label and changes nothing for a weight of 0', () => {
    let predictor = priorPredictor(PRIORS);
    const n = Object.keys(PRIORS).length;
    const spread = ({ covariance }: Predictor): number =>
      covariance.reduce((sum, value, at) => (at % (n + 1) === 0 ? sum + value : sum), 0);
    for (let index = 0; index < 200; index++) {
      const { features, draw } = situation(index);
      const next = learnLabel(predictor, features, draw, 1);
      assert.ok(spread(next) < spread(predictor) && spread(next) > 0);
      next.covariance.forEach((value, at) => {
        const mirrored = next.covariance[(at % n) * n + Math.floor(at / n)]!;
        assert.ok(Math.abs(value - mirrored) < 1e-12);
      });
      predictor = next;
    }
    const { features } = situation(0);
    const same = learnLabel(predictor, features, 1, 0);
    assert.deepEqual(same.weights, predictor.weights);
    assert.deepEqual(same.covariance, predictor.covariance);
  });

  it('is near the usual acceptance where nothing is known, and gives a reason for every weight', () => {
    const place = { prefix: 'x'.repeat(600), suffix: 's'.repeat(0) + '\n', language: 'typescript' };
    const chance = chanceOf(priorPredictor(BEFORE_PRIORS), featuresBefore(place, USUAL));
    assert.ok(chance > 0.2 && chance < 0.45, `${chance}`);
    for (const [name, { deviation, reason }] of Object.entries(PRIORS))
      assert.ok(deviation > 0 && reason.length > 20, name);
  });
});
