import type { DashboardTab, FromDashboard } from '../extension/common/contracts/dashboard.ts';

/** What outlives a page that was hidden: the editor throws the page away and makes it anew. */
interface Saved {
  tab: DashboardTab;
}

interface EditorApi {
  postMessage(message: FromDashboard): void;
  getState(): Saved | undefined;
  setState(state: Saved): void;
}

declare function acquireVsCodeApi(): EditorApi;

/** The editor around this page; it may be asked for once only. */
export const editor = acquireVsCodeApi();
