import type { AdapterList, AdapterSummary } from '../contracts/feedback.ts';

/** A version as it is offered for activation. */
export interface AdapterChoice {
  version: number;
  label: string;
  description: string;
  detail: string;
}

/** Versions that can be activated, the one in service first, then the newest; the base model comes last. */
export function adapterChoices({ adapters }: AdapterList): AdapterChoice[] {
  return adapters
    .filter((one) => one.collected !== true)
    .sort((a, b) => Number(b.active) - Number(a.active) || b.version - a.version)
    .map((one) => ({
      version: one.version,
      label: `${one.active ? '$(check)' : '$(circle-outline)'} ${nameOf(one)}`,
      description: describe(one),
      detail: figuresOf(one),
    }));
}

/** λ: the share of what was trained that was chosen, times the scale that was set by hand. */
export function servedScale({ scale, figures }: Pick<AdapterSummary, 'scale' | 'figures'>): number {
  return scale * (figures['gate/served_share'] ?? 1);
}

function nameOf({ status, version }: AdapterSummary): string {
  return status === 'base' ? 'Base model, nothing learned' : `Version ${version}`;
}

function describe({ status, active, createdAt, scale, parent, figures }: AdapterSummary): string {
  const facts = status === 'base' ? [] : [status === 'rolledBack' ? 'rolled back' : status];
  if (createdAt > 0) facts.push(new Date(createdAt).toISOString().slice(0, 16).replace('T', ' '));
  if (parent !== null && parent > 0) facts.push(`from version ${parent}`);
  const served = servedScale({ scale, figures });
  if (served !== 1 && status !== 'base') facts.push(`scale ${served}`);
  if (active) facts.push('in service');
  return facts.join(', ');
}

/** What the gate found, and how the version did in use. */
function figuresOf({ figures }: AdapterSummary): string {
  const gain = figures['gate/gain_per_token'];
  const lower = figures['gate/gain_lower'];
  const places = figures['gate/held_out'];
  const judged = figures['served/judged'] ?? 0;
  const facts: string[] = [];
  if (gain !== undefined) {
    facts.push(
      `Gate: ${signed(gain)} nats a token${lower === undefined ? '' : ` (at least ${signed(lower)})`}`,
    );
  }
  if (places !== undefined) facts.push(`${places} held-out places`);
  if (judged > 0) {
    facts.push(`${Math.round(100 * (figures['served/accept_rate'] ?? 0))} % of ${judged} taken`);
  }
  const latency = figures['time/completion_ms_p50'];
  if (latency !== undefined) facts.push(`${Math.round(latency)} ms a suggestion`);
  return facts.join(', ');
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
