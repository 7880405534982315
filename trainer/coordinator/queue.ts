import type { Store } from '../store/store.ts';
import type { OutcomeFacts } from '../store/types.ts';
import { isStorageFull } from '../store/database.ts';
import { eligibilityOf } from './eligibility.ts';
import type { TrainingSettings } from './settings.ts';

/** Undecided events by what they wait for. */
export interface QueueState {
  /** Settled and worth learning from, in the order of arrival. */
  ready: OutcomeFacts[];
  /** Waiting for a later fact. */
  open: number;
  /** When the next of them settles by itself, milliseconds since the epoch; Infinity: none. */
  nextSettlement: number;
}

/** Sorts the undecided events and counts those out from which nothing can be learned. */
export class EventQueue {
  private readonly store: Store;
  private readonly modelHash: string;
  private readonly settings: TrainingSettings;
  private state: QueueState = { ready: [], open: 0, nextSettlement: Infinity };
  private stale = true;

  constructor(store: Store, modelHash: string, settings: TrainingSettings) {
    this.store = store;
    this.modelHash = modelHash;
    this.settings = settings;
  }

  /** Events have come or were used. */
  changed(): void {
    this.stale = true;
  }

  /** The queue now; read from the store only when something can have changed. */
  current(): QueueState {
    const now = Date.now();
    if (!this.stale && now < this.state.nextSettlement) return this.state;
    this.stale = false;
    this.state = this.sort(now);
    return this.state;
  }

  /** The events to learn from when nothing more is waited for; those that a later fact may still teach stay open. */
  settled(): OutcomeFacts[] {
    this.changed();
    this.current();
    const ready = (facts: OutcomeFacts) =>
      eligibilityOf(facts, this.modelHash, this.settings, null).state === 'ready';
    return this.store.facts.undecided().filter(ready);
  }

  private sort(now: number): QueueState {
    const state: QueueState = { ready: [], open: 0, nextSettlement: Infinity };
    const dropped: { eventId: string; reason: string }[] = [];
    for (const facts of this.store.facts.undecided()) {
      const eligibility = eligibilityOf(facts, this.modelHash, this.settings, now);
      if (eligibility.state === 'ready') state.ready.push(facts);
      else if (eligibility.state === 'drop')
        dropped.push({ eventId: facts.eventId, reason: eligibility.reason });
      else {
        state.open++;
        state.nextSettlement = Math.min(state.nextSettlement, eligibility.settlesAt);
      }
    }
    if (dropped.length > 0) this.drop(dropped);
    return state;
  }

  /** On a full disk they are counted out the next time: who only asks how things stand still gets an answer. */
  private drop(events: { eventId: string; reason: string }[]): void {
    try {
      this.store.facts.drop(events);
    } catch (error) {
      this.stale = true;
      if (!isStorageFull(error)) throw error;
    }
  }
}
