import assert from 'node:assert/strict';
import type { Score } from '../../../extension/common/contracts/index.ts';
import { decideGate, DEFAULT_GATE_LIMITS } from '../../../trainer/learning/gate.ts';

const score = (id: number, logprob: number, rest: Partial<Score> = {}): Score => ({
  id: String(id),
  logprob,
  tokens: 10,
  exact: false,
  silent: false,
  length: 10,
  repeated: 0,
  kl: 0,
  ...rest,
});
const scores = (count: number, logprob: (i: number) => number, rest: Partial<Score> = {}): Score[] =>
  Array.from({ length: count }, (_, i) => score(i, logprob(i), rest));
const input = (
  running: Score[],
  candidate: Score[],
  general = { base: [score(0, -10)], candidate: [score(0, -10)] },
) => ({
  running,
  candidate,
  generalBase: general.base,
  generalCandidate: general.candidate,
});

describe('decideGate', () => {
  const before = scores(50, () => -20);

  it('promotes a gain that is proven', () => {
    const { decision, figures } = decideGate(
      input(
        before,
        scores(50, (i) => -18 - (i % 3)),
      ),
    );
    assert.equal(decision, 'promoted');
    assert.ok(Math.abs(figures['gate/gain_per_token']! - 0.102) < 1e-9);
  });

  it('is provisional while too few events are held out', () => {
    assert.equal(
      decideGate(
        input(
          before.slice(0, 39),
          scores(39, () => -18),
        ),
      ).decision,
      'provisional',
    );
    assert.equal(decideGate(input([], [])).decision, 'provisional');
  });

  it('rejects a loss, proven or not', () => {
    assert.equal(
      decideGate(
        input(
          before,
          scores(50, () => -22),
        ),
      ).decision,
      'rejected',
    );
    assert.equal(
      decideGate(
        input(
          before.slice(0, 5),
          scores(5, () => -20.1),
        ),
      ).decision,
      'rejected',
    );
  });

  it('holds no loss against a candidate that may be chance, while few events are held out', () => {
    // Mean -0.02 nats a token with a standard error of 0.015: beyond one of them, within the bound's confidence.
    const few = [-19.9, -20.6, -19.9, -20.6, -20].map((logprob, i) => score(i, logprob));
    const { decision, figures } = decideGate(input(before.slice(0, 5), few));
    assert.ok(figures['gate/gain_per_token']! < -0.015);
    assert.equal(decision, 'provisional');
  });

  it('lets what had to be turned down replace a version only when it is proven better', () => {
    const decide = (logprob: (i: number) => number, reduced: boolean, count = 50) =>
      decideGate({ ...input(before.slice(0, count), scores(count, logprob)), reduced }).decision;
    const equal = (): number => -20;
    const better = (i: number): number => -18 - (i % 3);
    const decisions = [decide(equal, true), decide(better, true), decide(equal, false)];
    assert.deepEqual(decisions, ['rejected', 'promoted', 'promoted']);
    assert.deepEqual([decide(equal, true, 9), decide(better, true, 9)], ['rejected', 'provisional']);
    assert.equal(decideGate({ ...input([], []), reduced: true }).decision, 'rejected');
  });

  it('rejects a gain that is within the noise and might be a loss', () => {
    const noisy = scores(50, (i) => (i % 2 === 0 ? -10 : -29.8));
    const { decision, figures } = decideGate(input(before, noisy));
    assert.ok(figures['gate/gain_per_token']! > 0);
    assert.equal(decision, 'rejected');
  });

  it('holds the limits on general code, KL and silence whatever was gained', () => {
    const better = scores(50, () => -10);
    const general = { base: [score(0, -10)], candidate: [score(0, -10.3)] };
    assert.match(decideGate(input(before, better, general)).reason, /general code/);
    const far = { base: [score(0, -10)], candidate: [score(0, -10, { kl: 0.2 })] };
    assert.match(decideGate(input(before, better, far)).reason, /KL/);
    // What the developer writes may differ from the base as much as it does.
    const idiom = decideGate(
      input(
        before,
        scores(50, () => -10, { kl: 2 }),
      ),
    );
    assert.equal(idiom.decision, 'promoted');
    assert.match(
      decideGate(
        input(
          before,
          scores(50, () => -10, { silent: true }),
        ),
      ).reason,
      /Silent/,
    );
  });

  const gaming: [string, number, Partial<Score>, RegExp | null][] = [
    ['ends after one token', 50, { length: 1 }, /ends earlier: 0\.9000/],
    ['ends a little earlier', 50, { length: 9 }, null],
    ['ends earlier at the few places there are', 7, { length: 1 }, null],
    ['repeats itself', 50, { repeated: 6 }, /repeats itself: at 0\.6000/],
    ['repeats itself a little', 50, { repeated: 1 }, null],
  ];
  for (const [name, count, change, reason] of gaming)
    it(`${reason === null ? 'lets through' : 'rejects'} one that ${name}, whatever it gained`, () => {
      const running = before.slice(0, count);
      const decision = decideGate(
        input(
          running,
          scores(count, () => -10, change),
        ),
      );
      if (reason === null) assert.notEqual(decision.decision, 'rejected');
      else assert.match(decision.reason, reason);
    });

  it('rejects what is not a number', () => {
    assert.equal(
      decideGate(
        input(
          before,
          scores(50, () => NaN),
        ),
      ).decision,
      'rejected',
    );
  });

  it('refuses to compare different items', () => {
    assert.throws(() => decideGate(input(before, before.slice(1))), RangeError);
    assert.throws(() => decideGate(input(before, before.toReversed())), RangeError);
  });

  it('has the documented limits', () => {
    assert.deepEqual(
      [DEFAULT_GATE_LIMITS.minHeldOut, DEFAULT_GATE_LIMITS.maxGeneralLossRise, DEFAULT_GATE_LIMITS.maxKl],
      [40, 0.02, 0.1],
    );
  });
});
