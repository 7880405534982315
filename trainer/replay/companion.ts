import {
  BASE_ADAPTER,
  adapterListSchema,
  completionResponseSchema,
  loraListSchema,
  placesResponseSchema,
  stepResponseSchema,
  submitResponseSchema,
  trainingStatusSchema,
  type AdapterList,
  type AdapterRef,
  type CompletionRequestInput,
  type CompletionResponse,
  type FeedbackEvent,
  type PlacesRequest,
  type PlacesResponse,
  type StepResponse,
  type TrainingStatus,
} from '../../extension/common/contracts/index.ts';
import type * as z from 'zod';
import { askService } from '../askService.ts';
import type { Companion } from './developer.ts';

/** Where the services listen. */
export interface CompanionAddress {
  inference: string;
  feedback: string;
  /** Bearer token of inference; `none` when the service wants none. */
  token: string;
  /** Bearer token of feedback. */
  feedbackToken: string;
}

interface Completed {
  id: string;
  text: string;
  adapterVersion: number;
  acceptance: CompletionResponse['acceptance'];
  /** Milliseconds from the request to its answer, as the editor sees it. */
  latencyMs: number;
}

/** Both services over HTTP. Every method throws as `askService` does. */
export class HttpCompanion implements Companion {
  readonly #address: CompanionAddress;

  constructor(address: CompanionAddress) {
    this.#address = address;
  }

  async complete(request: CompletionRequestInput): Promise<Completed> {
    const startedAt = performance.now();
    const { inference, token } = this.#address;
    const answer = await call(`${inference}/v1/completions`, token, completionResponseSchema, request);
    return {
      id: answer.id,
      text: answer.choices[0]!.text,
      adapterVersion: answer.adapter_version,
      acceptance: answer.acceptance,
      latencyMs: performance.now() - startedAt,
    };
  }

  /** Events go one by one, in their order: the order of arrival is the order of training. */
  async submit(events: FeedbackEvent[]): Promise<void> {
    const { feedback, feedbackToken } = this.#address;
    for (const event of events)
      await call(`${feedback}/api/training/submit`, feedbackToken, submitResponseSchema, event);
  }

  /** Places in files to learn from. */
  async teach(body: PlacesRequest): Promise<PlacesResponse> {
    const { feedback, feedbackToken } = this.#address;
    return await call(`${feedback}/api/training/places`, feedbackToken, placesResponseSchema, body);
  }

  /** Trains now and answers when the update is decided. */
  async step(): Promise<StepResponse> {
    const { feedback, feedbackToken } = this.#address;
    return await call(`${feedback}/api/training/step`, feedbackToken, stepResponseSchema, {});
  }

  /** Events to learn from, those included about which something is still to come. */
  async waiting(): Promise<number> {
    const status = await this.status();
    return status.queued + (typeof status.open === 'number' ? status.open : 0);
  }

  async status(): Promise<TrainingStatus> {
    const { feedback, feedbackToken } = this.#address;
    return await call(`${feedback}/api/training/status`, feedbackToken, trainingStatusSchema);
  }

  /** The adapter in service: version, file and scale. */
  async adapter(): Promise<AdapterRef> {
    const { inference, token } = this.#address;
    const list = await call(`${inference}/lora-adapters`, token, loraListSchema);
    const served = list.find((entry) => entry.scale > 0 && entry.path !== '');
    if (served === undefined) return BASE_ADAPTER;
    return { version: served.id, path: served.path, scale: served.scale };
  }

  async adapters(): Promise<AdapterList> {
    const { feedback, feedbackToken } = this.#address;
    return await call(`${feedback}/api/adapters`, feedbackToken, adapterListSchema);
  }
}

function call<Schema extends z.ZodType>(
  url: string,
  token: string,
  schema: Schema,
  body?: object,
): Promise<z.output<Schema>> {
  const remedy = 'See whether the services still run there.';
  return askService(url, schema, { token, remedy, ...(body === undefined ? {} : { body }) });
}
