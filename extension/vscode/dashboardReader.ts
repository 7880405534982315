import type { DashboardData, DashboardUnit, StoreFigures } from '../common/contracts/dashboard.ts';
import type { AdapterList, TrainingRuns } from '../common/contracts/feedback.ts';
import { errorOf, statusView, type Situation } from '../common/status/statusView.ts';
import type { Backend } from '../node/backend.ts';

/** What the dashboard shows, kept between two looks: only what has changed is read again. */
export class DashboardReader {
  readonly #backend: Backend;
  readonly #situation: () => Situation;
  readonly #storage: string;
  readonly #keepDays: () => number;
  #unit: DashboardUnit = '30days';
  #store: StoreFigures | null = null;
  #revision: string | null = null;
  #runs: TrainingRuns['runs'] = [];
  #adapters: AdapterList | null = null;

  /** @param storage folder of everything that is written */
  constructor(backend: Backend, situation: () => Situation, storage: string, keepDays: () => number) {
    this.#backend = backend;
    this.#situation = situation;
    this.#storage = storage;
    this.#keepDays = keepDays;
  }

  /** What the points of the charts stand for from now on. */
  choose(unit: DashboardUnit): void {
    this.#unit = unit;
  }

  /** Reads the store again, also where nothing seems to have changed. */
  forget(): void {
    this.#revision = null;
  }

  async readStore(): Promise<void> {
    const read = await this.#backend.dashboard(this.#unit, this.#revision).catch(() => 'unreadable' as const);
    if (read === 'unreadable') this.#store = this.#revision = null;
    else if (read !== null) ({ figures: this.#store, revision: this.#revision } = read);
  }

  /** Asks the companion; what it doesn't answer stays as it was. */
  async readCompanion(): Promise<void> {
    const { client, training } = this.#backend;
    if (!client) return;
    const newest = training?.lastRun?.id;
    const known = newest === undefined || this.#runs[0]?.id === newest;
    const [adapters, runs] = await Promise.all([
      client.adapters(this.#backend.workspaceKey).catch(() => this.#adapters),
      known
        ? this.#runs
        : client.runs().then(
            (answer) => answer.runs,
            () => this.#runs,
          ),
    ]);
    this.#adapters = adapters;
    this.#runs = runs;
  }

  /** Everything as far as it is known. */
  data(): Omit<DashboardData, 'at'> {
    const situation = this.#situation();
    return {
      unit: this.#unit,
      state: statusView(situation).name,
      error: errorOf(situation),
      completions: situation.completions,
      tracking: situation.tracking,
      trusted: situation.trusted,
      model: situation.model,
      address: this.#backend.client?.endpoints.inference ?? null,
      remote: situation.remote && { host: situation.remote.host, warning: situation.remote.warning },
      storage: this.#storage,
      keepDays: this.#keepDays(),
      store: this.#store,
      training: situation.training,
      runs: this.#runs,
      adapters: this.#adapters,
    };
  }
}
