import type { DashboardData, DashboardTab, FromDashboard } from '../extension/common/contracts/dashboard.ts';

/** Everything that the page is drawn from. */
export interface State {
  tab: DashboardTab;
  /** Null: nothing has come yet. */
  data: DashboardData | null;
  /** Types of what was asked for and is under way: their buttons wait. */
  busy: Set<FromDashboard['type']>;
  /** A message that couldn't be understood. */
  problem: string | null;
}

/** What a part of the page may do. */
export interface Actions {
  /** Asks the extension to do something that ends with `settled`. */
  ask(message: FromDashboard): void;
  choose(unit: DashboardData['unit']): void;
  show(tab: DashboardTab): void;
}
