/**
 * The configuration of every run, one schema: the files are checked against it, and docs/configuration.md and the
 * schema for editors are made of it. No field is required here; a command says which it can't do without.
 */
import * as z from 'zod';
import { FIM_CHOICES } from '../../extension/common/prompt/fimChoice.ts';
import { trainingSettingsSchema } from '../coordinator/settings.ts';
import type { GpuChoice } from '../inference/llama.ts';
import { judgeConfigSchema } from '../judge/config.ts';
import { LOG_LEVELS } from '../server/shared/logging.ts';
import { DEFAULT_RETENTION } from '../store/prune.ts';
import { pathField } from './path.ts';

export const GPU_CHOICES = ['auto', 'cpu', 'cuda', 'vulkan', 'metal'] as const satisfies GpuChoice[];
const MAX_PORT = 65_535;

const portField = () => z.int().min(0).max(MAX_PORT);

export const configSchema = z.strictObject({
  dataDir: pathField()
    .optional()
    .describe(
      'Folder of everything that the companion writes. Default: the data folder of this user on this platform.',
    ),
  logLevel: z.enum(LOG_LEVELS).default('info').describe('What is logged, on standard error.'),
  model: z
    .strictObject({
      path: pathField().optional().describe('Model file (GGUF). Default: the embedded model.'),
      gpu: z.enum(GPU_CHOICES).default('auto').describe('What to compute on.'),
      threads: z.int().min(1).optional().describe('Threads. Default: the physical cores.'),
      memoryLimitMb: z
        .int()
        .min(1)
        .optional()
        .describe(
          'Megabytes that the model with its context, and the learner’s copy of it, may take. A model that takes more is not loaded; one that can be served but not learned with is served only. Default: no limit.',
        ),
    })
    .prefault({})
    .describe('The model, and what it runs on.'),
  server: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1').describe('Address that both services listen on.'),
      inferencePort: portField().default(8081).describe('Port of completions; 0: a free one.'),
      feedbackPort: portField().default(8082).describe('Port of feedback; 0: a free one.'),
      exitWhenIdle: z
        .int()
        .min(1)
        .optional()
        .describe('Seconds without a request, `GET /health` included, after which the companion ends.'),
    })
    .prefault({})
    .describe(
      'The two services. Their tokens don’t belong in a file that is shared: give them in the environment.',
    ),
  inference: z
    .strictObject({
      temperature: z.number().min(0).max(5).default(0.3).describe('Temperature of requests that name none.'),
      maxTokens: z
        .int()
        .min(1)
        .max(4096)
        .default(64)
        .describe('Longest completion of requests that name no length, in tokens.'),
      contextTokens: z
        .int()
        .min(256)
        .default(4096)
        .describe('Largest context, prompt and completion together; a model trained on less gets less.'),
      fimTemplate: z
        .enum(FIM_CHOICES)
        .default('auto')
        .describe(
          '`auto`, or what to take instead of the fill-in-the-middle template that fits the markers of the model.',
        ),
    })
    .prefault({})
    .describe('How completions are made.'),
  training: trainingSettingsSchema
    .extend({
      enabled: z
        .boolean()
        .default(true)
        .describe('Off: feedback is stored and nothing is trained by itself.'),
    })
    .prefault({})
    .describe('How the companion learns.'),
  retention: z
    .strictObject({
      maxAgeDays: z
        .int()
        .min(1)
        .default(DEFAULT_RETENTION.maxAgeDays)
        .describe('Days after which completions, events, curves and logs are deleted.'),
      maxUnansweredDays: z
        .int()
        .min(1)
        .default(DEFAULT_RETENTION.maxUnansweredDays)
        .describe('The same of a completion that no feedback came for.'),
      maxBytes: z
        .int()
        .min(2 ** 20)
        .default(DEFAULT_RETENTION.maxBytes)
        .describe('Bytes of the database from which on the oldest are deleted.'),
    })
    .prefault({})
    .describe('How long what is recorded is kept (TELEMETRY.md).'),
  judge: judgeConfigSchema
    .prefault({})
    .describe('What `hone judge` learns from, who judges, and how (docs/judge.md).'),
});
export type Config = z.infer<typeof configSchema>;
