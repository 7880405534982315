import assert from 'node:assert/strict';
import type { Evidence, Outcome } from '../../../extension/common/contracts/index.ts';
import {
  CORRECTION_WAIT_MS,
  eligibilityOf,
  RETENTION_WAIT_MS,
  usesOf,
} from '../../../trainer/coordinator/eligibility.ts';
import { DEFAULT_TRAINING_SETTINGS as settings } from '../../../trainer/coordinator/settings.ts';
import type { OutcomeFacts } from '../../../trainer/store/types.ts';
import { MODEL_HASH } from '../../fixtures/records.ts';

const RECEIVED = 1_000_000;

function facts(outcome: Outcome, change: Partial<OutcomeFacts> = {}): OutcomeFacts {
  return {
    eventId: 'e',
    completionId: 'c',
    seq: 1,
    receivedAt: RECEIVED,
    origin: 'full',
    outcome,
    evidence: 'event',
    shownText: '0123456789',
    shownMs: 1_000,
    heldOut: false,
    retention: null,
    correction: null,
    completion: {
      source: 'served',
      workspaceKey: 'default',
      modelHash: MODEL_HASH,
      adapterVersion: 0,
      sampling: { temperature: 0.3, topP: 1, topK: 0, repetitionPenalty: 1, seed: null },
      generatedCount: 4,
    },
    ...change,
  };
}

const accepted: Outcome = { kind: 'accepted' };
const escaped: Outcome = { kind: 'rejected', how: 'escape' };
const ignored: Outcome = { kind: 'ignored', shownMs: 100 };
const typedThrough = (chars: number): Outcome => ({ kind: 'typedThrough', chars });
const partial: Outcome = { kind: 'partiallyAccepted', chars: 4 };
const typed = { correction: { typed: 'what was typed' } };
const unknown = { correction: { typed: null } };
const kept = (fraction: number | null) => ({ retention: { fraction, settled: true } });

describe('eligibility', () => {
  it('waits no longer when the clock was set back', () => {
    const at = (now: number) => eligibilityOf(facts(accepted), MODEL_HASH, settings, now).state;
    assert.equal(at(RECEIVED - 1_000), 'open', 'a clock is corrected by seconds now and then');
    assert.equal(at(RECEIVED - 3_600_000), 'ready');
  });

  const at = (one: OutcomeFacts, ms: number) => eligibilityOf(one, MODEL_HASH, settings, RECEIVED + ms);

  const settlement: [string, OutcomeFacts, number][] = [
    ['accepted waits for its survival', facts(accepted), RETENTION_WAIT_MS],
    ['accepted and known to be kept', facts(accepted, kept(1)), 0],
    [
      'accepted and looked at after half a minute only',
      facts(accepted, { retention: { fraction: 1, settled: false } }),
      RETENTION_WAIT_MS,
    ],
    ['accepted in a closed editor', facts(accepted, kept(null)), 0],
    ['typed through to the end waits like an acceptance', facts(typedThrough(9)), RETENTION_WAIT_MS],
    ['typed through in part waits for the correction', facts(typedThrough(8)), CORRECTION_WAIT_MS],
    ['partly accepted waits for the correction', facts(partial), CORRECTION_WAIT_MS],
    ['rejected waits for the correction', facts(escaped), CORRECTION_WAIT_MS],
    ['rejected with its correction', facts(escaped, typed), 0],
    ['rejected with a correction that cannot be told', facts(escaped, unknown), 0],
    ['silent waits for the correction', facts({ kind: 'silent' }), CORRECTION_WAIT_MS],
    ['a flat body waits for nothing', facts(accepted, { origin: 'flat' }), 0],
  ];
  for (const [name, one, waitMs] of settlement)
    it(`${name}`, () => {
      if (waitMs > 0) {
        const before = at(one, waitMs - 1);
        assert.deepEqual(before, { state: 'open', settlesAt: RECEIVED + waitMs });
      }
      assert.deepEqual(at(one, waitMs), { state: 'ready' });
    });

  it('settles everything when asked to', () => {
    assert.deepEqual(eligibilityOf(facts(accepted), MODEL_HASH, settings, null), { state: 'ready' });
  });

  it('takes acceptances at once in a hurry', () => {
    const hurried = { ...settings, acceptAtOnce: true };
    assert.deepEqual(eligibilityOf(facts(accepted), MODEL_HASH, hurried, RECEIVED), { state: 'ready' });
  });

  const dropped: [string, OutcomeFacts, string][] = [
    ['unknown completion', facts(accepted, { completion: null }), 'unknownCompletion'],
    ['ignored, correction unknown', facts(ignored, unknown), 'nothingToLearn'],
    ['suppressed, correction unknown', facts({ kind: 'suppressed', by: 'f' }, unknown), 'nothingToLearn'],
    [
      'inferred rejection without text',
      facts(escaped, { ...unknown, evidence: 'inferred' }),
      'nothingToLearn',
    ],
  ];
  for (const [name, one, reason] of dropped)
    it(`drops: ${name}`, () => assert.deepEqual(at(one, 0), { state: 'drop', reason }));
});

describe('uses of settled facts', () => {
  const uses = (one: OutcomeFacts) => usesOf(one, MODEL_HASH, settings);
  const policy = (one: OutcomeFacts) => uses(one).policy;

  const rewards: [string, OutcomeFacts, number | null, number][] = [
    ['accepted and kept', facts(accepted, kept(1)), 0.75, 1],
    ['accepted and two thirds kept', facts(accepted, kept(0.6)), 0.45, 1],
    ['accepted and mostly deleted', facts(accepted, kept(0.4)), -0.25, 1],
    ['partly accepted', facts(partial), 0.4 * 0.75 - 0.6 * 0.25, 1],
    ['rejected by Escape', facts(escaped), -0.25, 1],
    ['rejection observed', facts(escaped, { evidence: 'observed' }), -0.25, 0.5],
    ['rejection inferred', facts(escaped, { evidence: 'inferred' }), null, 0],
    ['silent', facts({ kind: 'silent' }), 0, 1],
    ['ignored', facts(ignored, typed), null, 0],
    ['suppressed', facts({ kind: 'suppressed', by: 'f' }, typed), null, 0],
  ];
  for (const [name, one, reward, weight] of rewards)
    it(`reward: ${name}`, () => {
      const use = policy(one);
      if (reward === null) return assert.equal(use, null);
      assert.ok(Math.abs(use!.reward - reward) < 1e-12, `${use!.reward}`);
      assert.equal(use!.weight, weight);
    });

  const changed = (sampling: object): OutcomeFacts => {
    const one = facts(accepted, kept(1));
    return {
      ...one,
      completion: { ...one.completion!, sampling: { ...one.completion!.sampling, ...sampling } },
    };
  };
  const noRatio: [string, OutcomeFacts][] = [
    ['temperature 0', changed({ temperature: 0 })],
    ['top-p', changed({ topP: 0.9 })],
    ['top-k', changed({ topK: 40 })],
    ['a penalty', changed({ repetitionPenalty: 1.1 })],
    ['another model', facts(accepted, { completion: { ...facts(accepted).completion!, modelHash: 'b' } })],
    [
      "a client's text",
      facts(accepted, { completion: { ...facts(accepted).completion!, source: 'client' } }),
    ],
    ['no tokens', facts(accepted, { completion: { ...facts(accepted).completion!, generatedCount: 0 } })],
  ];
  for (const [name, one] of noRatio)
    it(`no policy term, but text: ${name}`, () =>
      assert.deepEqual(uses(one), { policy: null, supervised: 'accepted' }));

  const supervised: [string, OutcomeFacts, 'correction' | 'accepted' | null][] = [
    ['accepted', facts(accepted, kept(1)), 'accepted'],
    ['accepted and all deleted', facts(accepted, kept(0)), null],
    ['accepted and changed', facts(accepted, { ...kept(0.5), ...typed }), 'correction'],
    ['partly accepted, rest unknown', facts(partial, unknown), 'accepted'],
    ['partly accepted, rest known', facts(partial, typed), 'correction'],
    ['rejected, text known', facts(escaped, typed), 'correction'],
    ['rejected, text unknown', facts(escaped, unknown), null],
    ['rejected, nothing typed there', facts(escaped, { correction: { typed: '' } }), 'correction'],
    ['ignored, text known', facts(ignored, typed), 'correction'],
  ];
  for (const [name, one, source] of supervised)
    it(`text: ${name}`, () => assert.equal(uses(one).supervised, source));

  it('knows every kind of evidence', () => {
    const all: Evidence[] = ['event', 'command', 'observed', 'inferred'];
    const weights = all.map((evidence) => policy(facts(escaped, { evidence }))?.weight ?? 0);
    assert.deepEqual(weights, [1, 1, 0.5, 0]);
  });
});
