import type { CompletionResponse, Health } from '../contracts/index.ts';

/** What a suggestion was made with. Another model, template or adapter would have suggested something else. */
export interface ServedBy {
  /** SHA-256 of the model file; of a companion that tells none, the model's name. */
  model: string;
  /** Family and order of the fill-in-the-middle template; `none`: asked without. */
  template: string;
  adapterVersion: number;
  adapterScale: number;
}

/** What an answer says about it. */
export function servedByOf(response: CompletionResponse): ServedBy {
  return {
    model: response.model_hash ?? response.model,
    template: response.fim_template ?? 'none',
    adapterVersion: response.adapter_version,
    adapterScale: response.adapter_scale ?? 1,
  };
}

/** What is known of it before anything is answered; the adapter is told by the companion's other service. */
export function servedAt(health: Health): Pick<ServedBy, 'model' | 'template'> {
  return { model: health.modelHash ?? health.model, template: health.fimTemplate ?? 'none' };
}
