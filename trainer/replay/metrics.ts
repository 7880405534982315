import type { FeedbackEvent, Outcome } from '../../extension/common/contracts/index.ts';
import type { Exchange } from './developer.ts';
import type { ServedResult } from './served.ts';

/**
 * What suggestions were worth, all of it together, because each figure alone can be gamed: by short and obvious
 * suggestions, by silence, by filters that hide the hard cases. "Per 1,000" is per 1,000 characters of the lines'
 * rests that had to be written where a suggestion was asked for.
 */
export interface Worth {
  requests: number;
  /** Of the shown ones; accepted whole or typed through whole. */
  acceptRate: number;
  /** Accepted characters that were still there two minutes later. */
  retainedPer1000: number;
  shownPer1000: number;
  meanShownChars: number;
  silentShare: number;
  suppressedShare: number;
}

/** One request, reduced to what the figures need. */
interface WorthItem {
  shownChars: number;
  silent: boolean;
  suppressed: boolean;
  accepted: boolean;
  retainedChars: number;
  restChars: number;
}

/** All figures of a set of requests; 0 where there is nothing to divide by. */
export function worthOf(items: readonly WorthItem[]): Worth {
  const shown = items.filter((item) => item.shownChars > 0);
  const rest = sum(items, (item) => item.restChars);
  return {
    requests: items.length,
    acceptRate: share(shown, (item) => item.accepted),
    retainedPer1000: rest === 0 ? 0 : (1000 * sum(items, (item) => item.retainedChars)) / rest,
    shownPer1000: rest === 0 ? 0 : (1000 * shown.length) / rest,
    meanShownChars: shown.length === 0 ? 0 : sum(shown, (item) => item.shownChars) / shown.length,
    silentShare: share(items, (item) => item.silent),
    suppressedShare: share(items, (item) => item.suppressed),
  };
}

/** Joins the stream's requests with what became of them. */
export function streamItems(exchanges: readonly Exchange[], events: readonly FeedbackEvent[]): WorthItem[] {
  const outcomes = new Map<string, Outcome>();
  const retained = new Map<string, number>();
  for (const event of events) {
    if (event.kind === 'outcome') outcomes.set(event.completionId, event.outcome);
    if (event.kind === 'retention' && event.afterSeconds === 120 && event.fraction !== null)
      retained.set(event.completionId, event.fraction);
  }
  return exchanges.map((exchange) => {
    const outcome = outcomes.get(exchange.completionId);
    const typedWhole = outcome?.kind === 'typedThrough' && outcome.chars === exchange.shown.length;
    return {
      shownChars: exchange.shown.length,
      silent: exchange.silent,
      suppressed: exchange.hiddenBy !== undefined && !exchange.silent,
      accepted: outcome?.kind === 'accepted' || typedWhole,
      retainedChars: exchange.takenChars * (retained.get(exchange.completionId) ?? 1),
      restChars: exchange.rest.length,
    };
  });
}

/** Requests at fixed places, as they would be taken by a developer who takes whatever is right. */
export function servedItems(results: readonly ServedResult[]): WorthItem[] {
  return results.map((result) => ({
    shownChars: result.shown.length,
    silent: result.silent,
    suppressed: result.hiddenBy !== undefined,
    accepted: result.accepted,
    retainedChars: result.keptChars,
    restChars: result.restChars,
  }));
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.length === 0 ? 0 : items.filter(holds).length / items.length;
}
