/** Which adapter learns from an event and serves a request: one for all, or one for each workspace. */
import { DEFAULT_WORKSPACE } from '../../extension/common/contracts/index.ts';
import type { Store } from '../store/store.ts';
import type { OutcomeFacts } from '../store/types.ts';
import type { TrainingSettings } from './settings.ts';

type AdapterSharing = Pick<TrainingSettings, 'adapters'>;

/** Key under which the adapter of a workspace is kept; the shared one has the key of what names no workspace. */
export function adapterKey({ adapters }: AdapterSharing, workspaceKey: string | undefined): string {
  return adapters === 'workspace' ? (workspaceKey ?? DEFAULT_WORKSPACE) : DEFAULT_WORKSPACE;
}

/** The workspace whose events an adapter is made of and judged by; undefined: those of all. */
export function workspaceOf({ adapters }: AdapterSharing, key: string): string | undefined {
  return adapters === 'workspace' ? key : undefined;
}

/** Key of the adapter that learns from an event. */
export function keyOfEvent(sharing: AdapterSharing, facts: OutcomeFacts): string {
  return adapterKey(sharing, facts.completion?.workspaceKey);
}

/** The events of the first adapter for which there are enough for an update; none when there is no such adapter. */
export function completeBatch(
  settings: Pick<TrainingSettings, 'adapters' | 'batchEvents'>,
  events: OutcomeFacts[],
): OutcomeFacts[] {
  const groups = Map.groupBy(events, (facts) => keyOfEvent(settings, facts));
  return [...groups.values()].find((group) => group.length >= settings.batchEvents) ?? [];
}

/** The events of the adapter that the newest event belongs to: that of the workspace in which work is done now. */
export function newestGroup(sharing: AdapterSharing, events: OutcomeFacts[]): OutcomeFacts[] {
  const newest = events.at(-1);
  if (newest === undefined) return [];
  const key = keyOfEvent(sharing, newest);
  return events.filter((facts) => keyOfEvent(sharing, facts) === key);
}

/** What is in service, as it is seen from a workspace. */
export interface Service {
  /** Key of its adapter; the shared one's when no workspace is named. */
  key: string;
  /** The version that serves there. */
  version: number;
  /** Versions in service by key, the shared one always among them. */
  versions: Map<string, number>;
}

/** What serves in a workspace, and elsewhere. */
export function inService(
  store: Store,
  modelHash: string,
  sharing: AdapterSharing,
  workspaceKey?: string,
): Service {
  const shared = store.adapters.active(modelHash, DEFAULT_WORKSPACE);
  const own = sharing.adapters === 'workspace' ? store.adapters.activeByWorkspace(modelHash) : {};
  const versions = new Map(Object.entries({ [DEFAULT_WORKSPACE]: shared, ...own }));
  const key = adapterKey(sharing, workspaceKey);
  return { key, version: versions.get(key) ?? shared, versions };
}
