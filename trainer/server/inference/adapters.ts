/** `GET|POST /lora-adapters`, in llama-server's shape; the id is the adapter version. */
import type { FastifyInstance } from 'fastify';
import {
  BASE_ADAPTER,
  loraScalesSchema,
  type LoraList,
  type LoraScales,
} from '../../../extension/common/contracts/index.ts';
import type { Engine } from '../../inference/types.ts';
import { HoneError } from '../shared/errors.ts';
import { parseBody } from '../shared/validate.ts';
import type { AdapterDirectory, InferenceEnvironment } from './environment.ts';

/** Adds both routes. */
export function addAdapterRoutes(app: FastifyInstance, environment: InferenceEnvironment): void {
  app.get('/lora-adapters', () => list(environment.requireEngine(), environment.adapters));

  app.post('/lora-adapters', async (request) => {
    const engine = environment.requireEngine();
    const chosen = choose(parseBody(loraScalesSchema, request.body));
    await activate(engine, environment.adapters, chosen);
    return list(engine, environment.adapters);
  });
}

function list(engine: Engine, directory: AdapterDirectory | null): LoraList {
  const served = engine.adapter;
  const known = directory?.list() ?? (served.path === null ? [] : [served]);
  return known
    .filter((adapter) => adapter.path !== null)
    .map((adapter) => ({
      id: adapter.version,
      path: adapter.path ?? '',
      scale: adapter.version === served.version ? served.scale : 0,
    }));
}

/** One version is served at a time; none with a scale means the base model. */
function choose(scales: LoraScales): { version: number; scale: number } | null {
  const wanted = scales.filter((entry) => entry.scale > 0);
  if (wanted.length <= 1)
    return wanted[0] === undefined ? null : { version: wanted[0].id, scale: wanted[0].scale };
  throw new HoneError(
    'invalid_request',
    `One adapter is served at a time, but ${wanted.map((entry) => entry.id).join(' and ')} have a scale above 0.`,
    { param: 'scale' },
  );
}

async function activate(
  engine: Engine,
  directory: AdapterDirectory | null,
  chosen: { version: number; scale: number } | null,
): Promise<void> {
  const version = chosen?.version ?? 0;
  if (directory !== null) return directory.activate(version, chosen?.scale);
  if (chosen === null) return engine.useAdapter(BASE_ADAPTER);
  if (engine.adapter.version !== version) {
    throw new HoneError('unknown_adapter', `There is no adapter version ${version}.`, { param: 'id' });
  }
  return engine.useAdapter({ ...engine.adapter, scale: chosen.scale });
}
