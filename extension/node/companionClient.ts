import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Agent } from 'undici';
import type * as z from 'zod';
import {
  adapterListSchema,
  completionResponseSchema,
  deletionPath,
  deletionSchema,
  errorResponseSchema,
  exportEndSchema,
  healthSchema,
  modelListSchema,
  placesResponseSchema,
  shownResponseSchema,
  stepResponseSchema,
  submitResponseSchema,
  trainingRunsSchema,
  trainingStatusSchema,
  type AdapterList,
  type CompletionRequestInput,
  type CompletionResponse,
  type DataScope,
  type Deletion,
  type FeedbackEvent,
  type Health,
  type PlacesRequest,
  type PlacesResponse,
  type ShownRequest,
  type ShownResponse,
  type StepResponse,
  type SubmitResponse,
  type TrainingRuns,
  type TrainingStatus,
} from '../common/contracts/index.ts';
import { parseJson } from './json.ts';
import type { Tokens } from './tokens.ts';

/** Where a running companion listens, for example `http://127.0.0.1:40123`. */
export interface Endpoints {
  inference: string;
  feedback: string;
}

const COMPLETION_TIMEOUT_MS = 20_000;
const SHORT_TIMEOUT_MS = 5000;
/** Each place is brought into tokens and to the disk. */
const PLACES_TIMEOUT_MS = 60_000;
/** An update with its gate is under a minute; a large step may take several. */
const STEP_TIMEOUT_MS = 15 * 60_000;

/** The last line of an export is short: a number for each table. */
const EXPORT_TAIL_CHARS = 4096;

/** An answer that is no success. `status` 0: none came. */
export class CompanionError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CompanionError';
    this.status = status;
    this.code = code;
  }
}

interface Call<T> {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  token: string | null;
  body?: unknown;
  schema: z.ZodType<T>;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** How a companion on another machine is spoken to. */
export interface RemoteAccess {
  /** Of every request. */
  headers: Record<string, string>;
  /** Certificates to trust, PEM. */
  certificates: string[];
  /** A request found nobody there, or was refused for its token. */
  onFailure: () => void;
}

/**
 * The companion over HTTP. Its connections are its own: the editor's proxy settings don't apply to them. An aborted
 * signal closes the connection, which ends the generation.
 */
export class CompanionClient {
  readonly endpoints: Endpoints;
  /** Null: they are among the headers. */
  readonly #tokens: Tokens | null;
  readonly #remote: RemoteAccess | null;
  /** Made with the first call: the library takes longer to load than the rest of the extension. */
  #agent: Promise<Agent> | undefined;

  constructor(endpoints: Endpoints, access: Tokens | RemoteAccess) {
    this.endpoints = endpoints;
    this.#tokens = 'headers' in access ? null : access;
    this.#remote = 'headers' in access ? access : null;
  }

  complete(body: CompletionRequestInput, signal: AbortSignal): Promise<CompletionResponse> {
    const schema = completionResponseSchema;
    const path = '/v1/completions';
    return this.#inference({ method: 'POST', path, body, schema, timeoutMs: COMPLETION_TIMEOUT_MS, signal });
  }

  /** Resolves when a completion that was asked for ahead is recorded as one that is shown. */
  shown(body: ShownRequest): Promise<ShownResponse> {
    const path = '/v1/completions/shown';
    const schema = shownResponseSchema;
    return this.#inference({ method: 'POST', path, body, schema, timeoutMs: SHORT_TIMEOUT_MS });
  }

  /** Resolves when the event is durable at the companion. */
  submit(event: FeedbackEvent): Promise<SubmitResponse> {
    const path = '/api/training/submit';
    return this.#feedback({ method: 'POST', path, body: event, schema: submitResponseSchema });
  }

  /** Resolves when the places are durable at the companion. */
  teach(body: PlacesRequest): Promise<PlacesResponse> {
    const path = '/api/training/places';
    const timeoutMs = PLACES_TIMEOUT_MS;
    return this.#feedback({ method: 'POST', path, body, schema: placesResponseSchema, timeoutMs });
  }

  /** `workspaceKey`: whose adapter version is told. */
  status(workspaceKey?: string): Promise<TrainingStatus> {
    const path = `/api/training/status${inWorkspace(workspaceKey)}`;
    return this.#feedback({ method: 'GET', path, schema: trainingStatusSchema });
  }

  /** Settles what is open and trains; resolves when the update is decided. */
  step(): Promise<StepResponse> {
    const path = '/api/training/step';
    return this.#feedback({
      method: 'POST',
      path,
      body: {},
      schema: stepResponseSchema,
      timeoutMs: STEP_TIMEOUT_MS,
    });
  }

  /** No update is made from now on unless it is asked for, or they are made again. */
  setPaused(paused: boolean): Promise<TrainingStatus> {
    const path = `/api/training/${paused ? 'pause' : 'resume'}`;
    return this.#feedback({ method: 'POST', path, body: {}, schema: trainingStatusSchema });
  }

  /** The newest updates of the model in service. */
  runs(): Promise<TrainingRuns> {
    return this.#feedback({ method: 'GET', path: '/api/training/runs', schema: trainingRunsSchema });
  }

  /** Those that may serve in a workspace. */
  adapters(workspaceKey: string): Promise<AdapterList> {
    const path = `/api/adapters${inWorkspace(workspaceKey)}`;
    return this.#feedback({ method: 'GET', path, schema: adapterListSchema });
  }

  activate(version: number, workspaceKey: string): Promise<AdapterList> {
    const path = `/api/adapters/${version}/activate${inWorkspace(workspaceKey)}`;
    return this.#feedback({ method: 'POST', path, body: {}, schema: adapterListSchema });
  }

  rollBack(workspaceKey: string): Promise<AdapterList> {
    const path = `/api/adapters/rollback${inWorkspace(workspaceKey)}`;
    return this.#feedback({ method: 'POST', path, body: {}, schema: adapterListSchema });
  }

  /** Resolves when it is deleted, its bytes too; an update under way is waited for. */
  deleteData(scope: DataScope): Promise<Deletion> {
    const path = deletionPath(scope);
    return this.#feedback({ method: 'DELETE', path, schema: deletionSchema, timeoutMs: STEP_TIMEOUT_MS });
  }

  /**
   * Writes every row of the companion's store into a new file of JSON lines.
   *
   * @throws a CompanionError when it refuses, and when its answer broke off.
   */
  async exportTo(path: string): Promise<void> {
    const url = `${this.endpoints.feedback}/api/data/export`;
    const headers = { ...this.#remote?.headers, ...bearer(this.#tokens?.feedback ?? null) };
    const { request } = await import('undici');
    const { statusCode, body } = await request(url, { dispatcher: await this.#connections(), headers });
    if (statusCode !== 200) throw refusal(statusCode, parseJson(await body.text()), `GET ${url}`);
    let tail = '';
    await pipeline(
      body.setEncoding('utf8'),
      async function* (chunks: AsyncIterable<string>) {
        for await (const chunk of chunks) {
          tail = (tail + chunk).slice(-EXPORT_TAIL_CHARS);
          yield chunk;
        }
      },
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    );
    if (exportEndSchema.safeParse(parseJson(tail.trimEnd().split('\n').at(-1)!)).success) return;
    throw new CompanionError(statusCode, 'unexpected_answer', `GET ${url} broke off. Export again.`);
  }

  /** Resolves when both services are Hone's and take the tokens. */
  async checkAccess(): Promise<void> {
    const path = '/v1/models';
    // One after the other: when the first is refused there is nothing under way that fails later.
    await this.#inference({ method: 'GET', path, schema: modelListSchema, timeoutMs: SHORT_TIMEOUT_MS });
    await this.status();
  }

  async inferenceHealth(): Promise<Health> {
    return this.#health(this.endpoints.inference);
  }

  async feedbackHealth(): Promise<Health> {
    return this.#health(this.endpoints.feedback);
  }

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  #connections(): Promise<Agent> {
    return (this.#agent ??= connections(this.#remote?.certificates));
  }

  #health(base: string): Promise<Health> {
    const url = `${base}/health`;
    return this.#call({ method: 'GET', url, token: null, schema: healthSchema, timeoutMs: SHORT_TIMEOUT_MS });
  }

  #inference<T>(call: Omit<Call<T>, 'url' | 'token'> & { path: string }): Promise<T> {
    return this.#call({
      ...call,
      url: this.endpoints.inference + call.path,
      token: this.#tokens?.inference ?? null,
    });
  }

  #feedback<T>(
    call: Omit<Call<T>, 'url' | 'token' | 'timeoutMs'> & { path: string; timeoutMs?: number },
  ): Promise<T> {
    const url = this.endpoints.feedback + call.path;
    return this.#call({ timeoutMs: SHORT_TIMEOUT_MS, ...call, url, token: this.#tokens?.feedback ?? null });
  }

  async #call<T>({ method, url, token, body, schema, timeoutMs, signal }: Call<T>): Promise<T> {
    let status: number;
    let text: string;
    try {
      const { request } = await import('undici');
      const answer = await request(url, {
        dispatcher: await this.#connections(),
        method,
        headers: {
          ...this.#remote?.headers,
          ...bearer(token),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal: signal ?? null,
      });
      status = answer.statusCode;
      text = await answer.body.text();
    } catch (error) {
      if (signal?.aborted) throw error;
      const why = error instanceof Error ? error.message : String(error);
      this.#remote?.onFailure();
      throw new CompanionError(0, 'unreachable', `${method} ${url}: ${why}`, error);
    }
    if (status === 401) this.#remote?.onFailure();
    const json = parseJson(text);
    if (status !== 200) throw refusal(status, json, `${method} ${url}`);
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const where = `${issue?.path.join('.')}: ${issue?.message}`;
    throw new CompanionError(
      status,
      'unexpected_answer',
      `${method} ${url} answered something else: ${where}`,
    );
  }
}

function bearer(token: string | null): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

async function connections(ca: RemoteAccess['certificates'] | undefined): Promise<Agent> {
  const { Agent } = await import('undici');
  return new Agent({
    connections: 16,
    keepAliveTimeout: 10_000,
    ...(ca === undefined ? {} : { connect: { ca } }),
  });
}

function refusal(status: number, json: unknown, call: string): CompanionError {
  const parsed = errorResponseSchema.safeParse(json);
  if (!parsed.success) return new CompanionError(status, 'http', `${call} answered ${status}.`);
  return new CompanionError(status, parsed.data.error.code, parsed.data.error.message);
}

function inWorkspace(key: string | undefined): string {
  return key === undefined ? '' : `?workspace=${encodeURIComponent(key)}`;
}
