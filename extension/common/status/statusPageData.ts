import type { RunSummary } from '../contracts/feedback.ts';

/** What the status page shows; all that the page's code knows of the extension. */
export interface StatusPageData {
  state: string;
  error: string | null;
  completions: boolean;
  tracking: boolean;
  trusted: boolean;
  model: string | null;
  address: string | null;
  /** The other machine that serves, or is to; null: this one. */
  remote: { host: string; warning: string | null } | null;
  adapterVersion: number | null;
  /** Of the companion; null before its first answer. */
  events: { stored: number; queued: number; heldOut: number; trained: number; dropped: number } | null;
  lastRun: RunSummary | null;
  /** Of this installation's own store; null when it can't be read. */
  store: { completions: number; events: number; pending: number; refused: number } | null;
  /** Outcome kind to count. */
  outcomes: Record<string, number>;
}
