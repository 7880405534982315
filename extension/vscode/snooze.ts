import { EventEmitter, l10n, window, type Disposable, type QuickPickItem } from 'vscode';
import { SNOOZE_CHOICES, snoozeRest, type SnoozeRest } from '../common/status/snooze.ts';
import { showContext } from './contextKeys.ts';

const MINUTE_MS = 60_000;

/** A pause of this window: nothing is asked and nothing is recorded until it is over. */
export class Snooze implements Disposable {
  readonly #changed = new EventEmitter<{ begins: boolean; ends: boolean }>();
  /** Undefined: there is none; null: until the window goes. */
  #until: number | null | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** It begins, a minute of it has passed, or it ends. */
  readonly onChange = this.#changed.event;

  /** What is left; null: there is none. */
  get rest(): SnoozeRest | null {
    return this.#until === undefined ? null : snoozeRest(this.#until, Date.now());
  }

  /** Asks for how long, and begins. */
  async choose(): Promise<void> {
    const items = SNOOZE_CHOICES.map((minutes): QuickPickItem & { minutes: number | null } => ({
      label: minutes === null ? l10n.t('Until the window is closed') : l10n.t('{0} minutes', minutes),
      minutes,
    }));
    const title = l10n.t('Hone: no suggestions and no recording for');
    const chosen = await window.showQuickPick(items, { title });
    if (chosen) this.begin(chosen.minutes);
  }

  /** @param minutes null: until the window goes */
  begin(minutes: number | null): void {
    this.#until = minutes === null ? null : Date.now() + minutes * MINUTE_MS;
    showContext('snoozed', true);
    this.#wait();
    this.#changed.fire({ begins: true, ends: false });
  }

  end(): void {
    if (this.#until === undefined) return;
    clearTimeout(this.#timer);
    this.#until = undefined;
    showContext('snoozed', false);
    this.#changed.fire({ begins: false, ends: true });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#changed.dispose();
  }

  /** Until the next whole minute. A computer that slept meanwhile finds it over by the clock. */
  #wait(): void {
    clearTimeout(this.#timer);
    if (typeof this.#until !== 'number') return;
    const left = this.#until - Date.now();
    this.#timer = setTimeout(() => this.#passed(), left % MINUTE_MS || Math.min(left, MINUTE_MS));
    this.#timer.unref();
  }

  #passed(): void {
    if (this.rest === null) {
      this.end();
      return;
    }
    this.#wait();
    this.#changed.fire({ begins: false, ends: false });
  }
}
