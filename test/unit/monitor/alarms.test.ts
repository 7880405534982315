import assert from 'node:assert/strict';
import { gamingAlarms, keepsLess, type AlarmName } from '../../../trainer/monitor/alarms.ts';
import { tallyOf } from '../../../trainer/monitor/tally.ts';
import type { ServedOutcome } from '../../../trainer/store/types.ts';
import { GAMING, honest, serve, served, type Policy } from '../../fixtures/served.ts';

describe('alarms about gaming', () => {
  const before = serve(honest, 0, 120);
  const names = (earlier: ServedOutcome[], now: ServedOutcome[]): AlarmName[] =>
    gamingAlarms(tallyOf(earlier), tallyOf(now)).map((alarm) => alarm.name);
  const fewerSilent: Policy = (version, turn) =>
    turn % 10 < 4 ? GAMING.silence(version, turn) : honest(version, turn);
  const short: Policy = (version, turn) => ({ ...honest(version, turn), shownText: 'add', rawText: 'add' });

  const cases: [string, ServedOutcome[], AlarmName[]][] = [
    ['the same as before', serve(honest, 1, 60), []],
    ['always silent', serve(GAMING.silence, 1, 60), ['silence']],
    ['one character', serve(GAMING.oneCharacter, 1, 60), ['oneCharacter', 'shorterText', 'acceptedNotKept']],
    ['what stands there already', serve(GAMING.repeatsSuffix, 1, 60), ['repeatsSuffix']],
    ['loops', serve(GAMING.repetition, 1, 60), ['repetition']],
    ['40 points more silence', serve(fewerSilent, 1, 60), ['silence']],
    ['shorter text', serve(short, 1, 60), ['shorterText']],
    ['too few to say', serve(GAMING.silence, 1, 39), []],
  ];
  for (const [name, now, expected] of cases) it(name, () => assert.deepEqual(names(before, now), expected));

  it('holds only the ceilings where nothing was before', () => {
    assert.deepEqual(names([], serve(fewerSilent, 1, 60)), []);
    assert.deepEqual(names([], serve(GAMING.oneCharacter, 1, 60)), ['oneCharacter']);
  });

  it('does not mind more silence where as much stays', () => {
    // Rejected suggestions make way for silence; the others are as before.
    const wiser: Policy = (version, turn) => {
      const row = honest(version, turn);
      return row.outcome.kind === 'rejected' && turn % 4 < 2 ? GAMING.silence(version, turn) : row;
    };
    const [earlier, now] = [tallyOf(before), tallyOf(serve(wiser, 1, 60))];
    assert.deepEqual(
      gamingAlarms(earlier, now).map((alarm) => alarm.name),
      ['silence'],
    );
    assert.equal(keepsLess(earlier, now), false);
    assert.equal(keepsLess(earlier, tallyOf(serve(GAMING.silence, 1, 60))), true);
  });

  it('tells when acceptance rises and what stays falls', () => {
    const easy: Policy = (version, turn) =>
      served({
        version,
        rawText: 'end',
        outcome: turn % 10 < 8 ? { kind: 'accepted' } : { kind: 'rejected', how: 'escape' },
      });
    const alarm = gamingAlarms(tallyOf(before), tallyOf(serve(easy, 1, 60))).at(-1)!;
    assert.equal(alarm.name, 'acceptedNotKept');
    assert.match(
      alarm.message,
      /rose from 33 % to 80 % while characters kept of a request fell from 7\.7 to 2\.4/,
    );
  });
});
