import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { TextEdit } from '../../../extension/common/outcome/index.ts';
import { retainedFraction } from '../../../extension/common/outcome/index.ts';
import { applyEdits } from '../../../extension/common/outcome/offsets.ts';
import { closedRange, growingRange } from '../../../extension/common/outcome/trackedRange.ts';
import { EditorSim } from '../../unit/extension/editorSim.ts';

const INITIAL = 'abcdefghijklmnopqrst';
const RANGE = { start: 6, end: 14, intact: true };

/** One change of up to three edits, as positions in 0..1 that are scaled to the text they meet. */
const change = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    deleted: fc.nat(4),
    inserted: fc.string({ maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 3 },
);

/** Edits that don't overlap and don't touch. */
function editsFor(length: number, raw: { at: number; deleted: number; inserted: string }[]): TextEdit[] {
  const edits: TextEdit[] = [];
  let free = 0;
  for (const { at, deleted, inserted } of [...raw].sort((a, b) => a.at - b.at)) {
    const offset = Math.floor(at * length);
    if (offset < free || offset > length) continue;
    const units = Math.min(deleted, length - offset);
    edits.push({ offset, deleted: units, inserted });
    free = offset + units + 1;
  }
  return edits;
}

/** The naive model: every unit of the document knows whether it was in the range from the start. */
type Unit = { text: string; original: boolean };

function applyNaively(units: Unit[], edits: TextEdit[]): Unit[] {
  const result = [...units];
  for (const edit of [...edits].sort((a, b) => b.offset - a.offset)) {
    const inserted = [...Array(edit.inserted.length).keys()].map((index) => ({
      text: edit.inserted[index]!,
      original: false,
    }));
    result.splice(edit.offset, edit.deleted, ...inserted);
  }
  return result;
}

describe('tracked ranges against a naive model', () => {
  it('closed: starts and ends with what is left of the text', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        let units: Unit[] = [...INITIAL].map((text, index) => ({
          text,
          original: index >= RANGE.start && index < RANGE.end,
        }));
        let range = RANGE;
        for (const raw of changes) {
          const edits = editsFor(units.length, raw);
          range = closedRange(range, edits);
          units = applyNaively(units, edits);
        }
        const first = units.findIndex((unit) => unit.original);
        const last = units.findLastIndex((unit) => unit.original);
        assert.ok(range.start >= 0 && range.start <= range.end && range.end <= units.length);
        if (first < 0) return;
        assert.ok(
          range.start <= first && range.end >= last + 1,
          `${range.start}..${range.end}, ${first}..${last}`,
        );
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  it('growing: holds exactly what was inserted at the place while the text in front stays', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const front = INITIAL.slice(0, 8);
        const behind = INITIAL.slice(8);
        let middle = '';
        let range = { start: 8, end: 8, intact: true };
        for (const raw of changes) {
          const edits = editsFor(middle.length, raw);
          middle = applyEdits(middle, edits);
          range = growingRange(
            range,
            edits.map((edit) => ({ ...edit, offset: edit.offset + front.length })),
          );
        }
        const text = front + middle + behind;
        assert.equal(text.slice(range.start, range.end), middle);
        assert.equal(range.intact, true);
      }),
      { seed: 2, numRuns: 2000 },
    );
  });

  it('retained: 1 for the text itself, 0 for none of its words, never outside', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (original, current) => {
        const fraction = retainedFraction(original, current);
        assert.ok(fraction >= 0 && fraction <= 1);
        assert.equal(retainedFraction(original, original), 1);
        assert.equal(retainedFraction(original, `${current} ${original} ${current}`), 1);
      }),
      { seed: 3, numRuns: 1000 },
    );
  });
});

/** Anything a developer may do, in any order. */
const action = fc.oneof(
  fc.record({ do: fc.constant('type' as const), text: fc.constantFrom('f', 'o', '(', 'x', '\n', ')') }),
  fc.record({ do: fc.constant('insert' as const), text: fc.constantFrom('foo', 'foo(1)', '()', 'zz') }),
  fc.record({ do: fc.constant('backspace' as const) }),
  fc.record({ do: fc.constant('move' as const), to: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ do: fc.constant('offer' as const), text: fc.constantFrom('foo(1)', 'foo', ')', 'x\n  y') }),
  fc.record({ do: fc.constant('withhold' as const) }),
  fc.record({ do: fc.constant('hold' as const), text: fc.constantFrom('foo(1)', 'x') }),
  fc.record({ do: fc.constant('drop' as const), changed: fc.boolean() }),
  fc.record({ do: fc.constant('shown' as const), back: fc.nat(5) }),
  fc.record({ do: fc.constant('accept' as const) }),
  fc.record({ do: fc.constant('lateAccept' as const), back: fc.nat(5) }),
  fc.record({ do: fc.constant('escape' as const) }),
  fc.record({ do: fc.constant('blur' as const) }),
  fc.record({ do: fc.constant('focus' as const) }),
  fc.record({ do: fc.constant('close' as const) }),
  fc.record({ do: fc.constant('reoffer' as const), back: fc.nat(5) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(10, 100, 800, 3000, 20_000, 200_000) }),
);

describe('feedback of random sessions', () => {
  it('has exactly one outcome and at most one correction per completion, and no negative length', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const sim = new EditorSim('let a = |;\n');
        const offered: { id: string; text: string }[] = [];
        for (const step of actions) {
          const latest = offered.at(-1);
          if (step.do === 'type') sim.insert(step.text);
          if (step.do === 'insert') sim.insert(step.text);
          if (step.do === 'backspace' && sim.caret > 0) sim.backspace();
          if (step.do === 'move') sim.move(Math.floor(step.to * sim.text.length));
          if (step.do === 'offer') {
            const id = `c${offered.length}`;
            offered.push({ id, text: step.text });
            sim.offer(id, step.text);
          }
          if (step.do === 'withhold') {
            const id = `c${offered.length}`;
            offered.push({ id, text: '' });
            sim.withhold(id, '', null);
          }
          if (step.do === 'hold') {
            const id = `c${offered.length}`;
            offered.push({ id, text: step.text });
            sim.hold(id, step.text);
          }
          if (step.do === 'drop') {
            const id = `c${offered.length}`;
            offered.push({ id, text: '' });
            sim.drop(id, 'foo', step.changed);
          }
          if (step.do === 'shown') {
            const target = offered.at(-1 - step.back);
            if (target) sim.send({ type: 'editorShown', id: target.id });
          }
          if (step.do === 'accept' && latest) sim.accept(latest.id, latest.text);
          if (step.do === 'lateAccept') {
            const target = offered.at(-1 - step.back);
            if (target) sim.send({ type: 'accept', id: target.id });
          }
          if (step.do === 'reoffer') {
            const target = offered.at(-1 - step.back);
            if (target && sim.tracker.isOpen(target.id)) sim.offer(target.id, target.text);
          }
          if (step.do === 'escape') sim.escape();
          if (step.do === 'blur') sim.send({ type: 'focus', document: null });
          if (step.do === 'focus') sim.send({ type: 'focus', document: sim.document });
          if (step.do === 'close') sim.send({ type: 'closed', document: sim.document });
          if (step.do === 'wait') sim.wait(step.ms);
        }
        sim.send({ type: 'shutdown' });
        for (const { id } of offered) {
          assert.equal(sim.outcomes(id).length, 1, `${id}: ${sim.outcomes(id).join(', ')}`);
          const corrections = sim.corrections(id).length;
          const whole = sim.outcomes(id)[0]!.startsWith('accepted');
          assert.ok(corrections <= 1 && (!whole || corrections === 0), `${id}: ${corrections} corrections`);
          assert.ok(sim.retention(id).length === 0 || sim.retention(id).length === 4);
        }
        for (const event of sim.events) {
          if (event.kind !== 'outcome') continue;
          assert.ok(event.shownMs >= 0);
          if ('chars' in event.outcome) assert.ok((event.outcome.chars as number) > 0);
        }
        assert.equal(sim.tracker.nextDueAt(), undefined);
      }),
      { seed: 4, numRuns: 3000 },
    );
  });
});
