import assert from 'node:assert/strict';
import { fuseVerdict, windowsOf, type ChainLink } from '../../../trainer/monitor/fuse.ts';
import { keyedRandom } from '../../../trainer/replay/random.ts';
import type { ServedOutcome } from '../../../trainer/store/types.ts';
import { GAMING, honest, serve, served, type Policy } from '../../fixtures/served.ts';

const link = (version: number, proven = true): ChainLink => ({ version, proven });
const CHAIN = [link(2), link(1), link(0)];
const rejecting: Policy = (version, turn) => ({
  ...honest(version, turn),
  outcome: { kind: 'rejected', how: 'typedAgainst' },
});

describe('the live fuse', () => {
  const before = serve(honest, 1, 120);

  it('lets a version be that does as the one before', () => {
    assert.equal(fuseVerdict([...serve(honest, 2, 60), ...before], CHAIN), null);
  });

  it('ends one that is accepted less, with the numbers', () => {
    const verdict = fuseVerdict([...serve(rejecting, 2, 40), ...before], CHAIN)!;
    assert.equal(verdict.target, 1);
    assert.match(
      verdict.reason,
      /^0 of 40 \(0 %\) of the newest suggestions were taken, 40 of 120 \(33 %\) before/,
    );
    assert.equal(verdict.figures['fuse/judged'], 40);
    assert.ok(verdict.figures['fuse/probability_worse']! > 0.995);
  });

  for (const [name, policy] of Object.entries(GAMING))
    it(`ends one that games: ${name}`, () => {
      const verdict = fuseVerdict([...serve(policy, 2, 60), ...before], CHAIN)!;
      assert.equal(verdict.target, 1);
      assert.ok(name === 'repetition' || verdict.figures[`alarm/${name}`] === 1, JSON.stringify(verdict));
    });

  it('goes back to a proven version', () => {
    const rows = [...serve(rejecting, 2, 40), ...before];
    const chain = [link(2), link(1, false), link(0)];
    assert.equal(fuseVerdict(rows, chain)!.target, 0);
  });

  it('takes as many versions together as it needs to say something, and goes back before them', () => {
    const rows = [
      ...serve(rejecting, 4, 15),
      ...serve(rejecting, 3, 15),
      ...serve(rejecting, 2, 15),
      ...before,
    ];
    const chain = [link(4), link(3), ...CHAIN];
    assert.deepEqual(
      windowsOf(rows, chain).map(({ split, recent, earlier }) => [split, recent.length, earlier.length]),
      [[3, 45, 120]],
    );
    assert.equal(fuseVerdict(rows, chain)!.target, 1);
  });

  const unable: [string, ServedOutcome[], ChainLink[]][] = [
    ['the base is in service', [...serve(rejecting, 0, 60), ...before], [link(0)]],
    ['too few outcomes', [...serve(rejecting, 2, 39), ...before], CHAIN],
    ['too few before', [...serve(rejecting, 2, 40), ...serve(honest, 1, 59)], CHAIN],
    [
      'ignored ones',
      [
        ...serve((version) => served({ version, outcome: { kind: 'ignored', shownMs: 1 } }), 2, 60),
        ...before,
      ],
      CHAIN,
    ],
    ['versions of another branch', [...serve(rejecting, 9, 60), ...before], CHAIN],
  ];
  for (const [name, rows, chain] of unable)
    it(`says nothing of ${name}`, () => assert.equal(fuseVerdict(rows, chain), null));

  // A version every 16 requests, as in use; looked at every ten requests. Short texts are counted fast.
  const history = (seed: number, before: number, after: number, requests: number): number | null => {
    const random = keyedRandom(seed, 'fuse');
    const rows: ServedOutcome[] = [];
    const chain = [link(0)];
    for (let turn = -100; turn < requests; turn++) {
      if (turn >= 0 && turn % 16 === 0) chain.unshift(link(chain.length));
      const outcome: ServedOutcome['outcome'] = random.chance(turn < 0 ? before : after)
        ? { kind: 'accepted' }
        : { kind: 'rejected', how: 'escape' };
      rows.unshift(served({ version: chain[0]!.version, outcome, rawText: 'one;', suffix: '' }));
      if (turn > 0 && turn % 10 === 0 && fuseVerdict(rows, chain) !== null) return turn;
    }
    return null;
  };
  const seeds = Array.from({ length: 40 }, (_, seed) => seed);

  it('blows in few histories of equal versions', () => {
    const blown = seeds.slice(0, 20).filter((seed) => history(seed, 0.3, 0.3, 200) !== null);
    assert.ok(blown.length <= 2, `${blown.length} of 20`);
  });

  it('blows soon in most histories of much worse ones', () => {
    const turns = seeds.map((seed) => history(seed, 0.35, 0.1, 100)).filter((turn) => turn !== null);
    assert.ok(turns.length >= 34, `${turns.length} of 40`);
  });
});
