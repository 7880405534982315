import { DEFAULT_WORKSPACE } from '../../extension/common/contracts/index.ts';
import type { Connections } from './database.ts';
import { decodeLogprobs, decodeTokens, encodeLogprobs, encodeTokens, hashText } from './encoding.ts';
import { columnOf, isHeldOut } from './heldOut.ts';
import type { ClientCompletion, CompletionRecord, StoredCompletion, StoredPrediction } from './types.ts';

/** Matches looked at when feedback is joined by its prompt; newest first. */
const JOIN_CANDIDATES = 50;

export interface CompletionTable {
  insert(record: CompletionRecord): void;
  /** Part of the transaction that stores the feedback it came with. */
  insertClient(completion: ClientCompletion): void;
  get(id: string): StoredCompletion | null;
  /** The request before `completion` in the same document, or null. */
  previousInDocument(
    completion: StoredCompletion,
  ): { offset: number; heldOut: boolean; promptText: string } | null;
  /**
   * Newest served completion without an outcome whose prompt, as sent or as rendered, is one of `prompts` and whose
   * text is `text` or begins with it (a client may have trimmed it).
   */
  findByPrompt(prompts: string[], text: string): string | null;
  /** Whether what a client told of is recorded already: the same prompt at the same place, and `typed` there. */
  knowsClient(completion: ClientCompletion, typed: string): boolean;
  /** Names the workspace of a completion whose request named none. */
  nameWorkspace(id: string, workspaceKey: string): void;
}

/** Requests that were answered, in the table `completions`. */
export function createCompletionTable({ durable, quick }: Connections): CompletionTable {
  const insertSql = `INSERT INTO completions VALUES (
    @id, @createdAt, @source, @session, @workspaceKey, @relativePath, @language, @documentVersion, @offset, @column,
    @heldOut, @promptText, @promptTokens, @promptHash, @requestHash, @modelHash, @adapterVersion, @temperature,
    @topP, @topK, @repetitionPenalty, @seed, @generatedTokens, @generatedLogprobs, @finishReason, @ended, @rawText,
    @cacheOrigin, @latency, @adapterScale, @modelLogprobs, @acceptance)`;
  const insertQuick = quick.prepare(insertSql);
  const insertDurable = durable.prepare(insertSql);
  const toldOf = durable.prepare(`
    SELECT 1 FROM completions JOIN corrections ON corrections.completion_id = completions.id
    WHERE workspace_key = @workspaceKey AND relative_path = @relativePath AND source = 'client'
      AND offset = @offset AND prompt_hash = @hash AND typed = @typed`);
  const byId = durable.prepare('SELECT * FROM completions WHERE id = ?');
  const before = durable.prepare(`
    SELECT offset, held_out, prompt_text FROM completions
    WHERE workspace_key = @workspaceKey AND relative_path = @relativePath AND relative_path <> ''
      AND session = @session AND (created_at < @createdAt OR (created_at = @createdAt AND id < @id))
    ORDER BY created_at DESC, id DESC LIMIT 1`);
  const matching = durable.prepare(`
    SELECT id, raw_text FROM completions
    WHERE (prompt_hash = @hash OR request_hash = @hash) AND source = 'served'
      AND NOT EXISTS (SELECT 1 FROM outcomes WHERE outcomes.completion_id = completions.id)
    ORDER BY created_at DESC LIMIT ${JOIN_CANDIDATES}`);

  const nameUnnamed = durable.prepare(
    `UPDATE completions SET workspace_key = ? WHERE id = ? AND workspace_key = '${DEFAULT_WORKSPACE}'`,
  );

  return {
    insert(record) {
      insertQuick.run(rowOf(record));
    },
    insertClient(completion) {
      insertDurable.run(clientRowOf(completion));
    },
    get(id) {
      const row = byId.get(id) as CompletionDbRow | undefined;
      return row === undefined ? null : completionOf(row);
    },
    previousInDocument({ workspaceKey, relativePath, session, createdAt, id }) {
      const row = before.get({ workspaceKey, relativePath, session, createdAt, id }) as
        { offset: number; held_out: number; prompt_text: string } | undefined;
      if (row === undefined) return null;
      return { offset: row.offset, heldOut: row.held_out === 1, promptText: row.prompt_text };
    },
    findByPrompt(prompts, text) {
      for (const prompt of prompts) {
        const rows = matching.all({ hash: hashText(prompt) }) as { id: string; raw_text: string }[];
        const found =
          rows.find((row) => row.raw_text === text) ??
          (text === '' ? undefined : rows.find((row) => row.raw_text.startsWith(text)));
        if (found !== undefined) return found.id;
      }
      return null;
    },
    knowsClient({ workspaceKey, relativePath, offset, promptText }, typed) {
      const place = { workspaceKey, relativePath, offset, hash: hashText(promptText), typed };
      return toldOf.get(place) !== undefined;
    },
    nameWorkspace(id, workspaceKey) {
      nameUnnamed.run(workspaceKey, id);
    },
  };
}

interface CompletionDbRow {
  id: string;
  created_at: number;
  source: 'served' | 'client';
  session: string;
  workspace_key: string;
  relative_path: string;
  language: string;
  document_version: number;
  offset: number;
  column_utf16: number;
  held_out: number;
  prompt_text: string;
  prompt_tokens: Buffer | null;
  model_hash: string;
  adapter_version: number;
  temperature: number;
  top_p: number;
  top_k: number;
  repetition_penalty: number;
  seed: number | null;
  generated_tokens: Buffer;
  generated_logprobs: Buffer;
  finish_reason: CompletionRecord['finishReason'];
  ended: number;
  raw_text: string;
  cache_origin: CompletionRecord['cacheOrigin'];
  latency: string;
  adapter_scale: number;
  model_logprobs: Buffer;
  acceptance: string | null;
}

/** A row with its blobs and JSON decoded. */
export function completionOf(row: CompletionDbRow): StoredCompletion {
  return {
    id: row.id,
    createdAt: row.created_at,
    source: row.source,
    session: row.session,
    workspaceKey: row.workspace_key,
    relativePath: row.relative_path,
    language: row.language,
    documentVersion: row.document_version,
    offset: row.offset,
    column: row.column_utf16,
    heldOut: row.held_out === 1,
    promptText: row.prompt_text,
    promptTokens: row.prompt_tokens === null ? null : decodeTokens(row.prompt_tokens),
    modelHash: row.model_hash,
    adapterVersion: row.adapter_version,
    adapterScale: row.adapter_scale,
    sampling: {
      temperature: row.temperature,
      topP: row.top_p,
      topK: row.top_k,
      repetitionPenalty: row.repetition_penalty,
      seed: row.seed,
    },
    generatedTokens: decodeTokens(row.generated_tokens),
    generatedLogprobs: decodeLogprobs(row.generated_logprobs),
    modelLogprobs: decodeLogprobs(row.model_logprobs) as number[],
    finishReason: row.finish_reason,
    ended: row.ended === 1,
    rawText: row.raw_text,
    cacheOrigin: row.cache_origin,
    latency: JSON.parse(row.latency) as CompletionRecord['latency'],
    ...(row.acceptance === null ? {} : { prediction: JSON.parse(row.acceptance) as StoredPrediction }),
  };
}

function rowOf(record: CompletionRecord): Record<string, unknown> {
  const column = record.column ?? columnOf(record.promptText);
  return {
    ...record,
    ...record.sampling,
    source: 'served',
    column,
    heldOut: isHeldOut({ ...record, column }) ? 1 : 0,
    promptTokens: encodeTokens(record.promptTokens),
    promptHash: hashText(record.promptText),
    requestHash: record.requestPrompt === undefined ? null : hashText(record.requestPrompt),
    generatedTokens: encodeTokens(record.generatedTokens),
    generatedLogprobs: encodeLogprobs(record.generatedLogprobs),
    modelLogprobs: encodeLogprobs(record.modelLogprobs),
    ended: record.ended ? 1 : 0,
    latency: JSON.stringify(record.latency),
    acceptance: record.prediction === undefined ? null : JSON.stringify(record.prediction),
    prediction: null,
    sampling: null,
  };
}

function clientRowOf({ promptTokens, ...completion }: ClientCompletion): Record<string, unknown> {
  const row = rowOf({
    ...completion,
    session: '',
    language: '',
    documentVersion: 0,
    promptTokens: promptTokens ?? [],
    adapterVersion: 0,
    adapterScale: 1,
    sampling: { temperature: 0, topP: 1, topK: 0, repetitionPenalty: 1, seed: null },
    generatedTokens: [],
    generatedLogprobs: [],
    modelLogprobs: [],
    finishReason: 'stop',
    ended: false,
    cacheOrigin: 'none',
    latency: { queue: 0, prompt: 0, firstToken: 0, total: 0 },
  });
  return { ...row, source: 'client', promptTokens: promptTokens === undefined ? null : row.promptTokens };
}
