/** The judges of a run: the one that rewards, and another that only validates. */
import { join } from 'node:path';
import { HoneError } from '../server/shared/errors.ts';
import { ChatJudge } from './chatJudge.ts';
import type { JudgeConfig } from './config.ts';
import { exactJudge, similarityJudge, type Judge, type JudgeKind } from './judge.ts';

const CACHE_FOLDER = 'verdicts';

interface OpenJudges {
  judges: readonly [Judge, ...Judge[]];
  close(): Promise<void>;
}

/**
 * The judge that rewards first, then the one that validates beside it, when it is another.
 *
 * @throws HoneError `config_invalid` when a language model is to judge and its address or name is nowhere.
 */
export function openJudges(
  config: JudgeConfig,
  outputDir: string,
  environment: NodeJS.ProcessEnv,
): OpenJudges {
  const { judge: kind, validationJudge } = config.reward;
  const other = kind === 'similarity' ? 'exact' : 'similarity';
  const beside = validationJudge === 'auto' ? other : validationJudge;
  let chat: ChatJudge | null = null;
  const open = (wanted: JudgeKind): Judge => {
    if (wanted === 'exact') return exactJudge;
    if (wanted === 'similarity') return similarityJudge;
    return (chat ??= openChat(config, outputDir, environment));
  };
  const rewarding = open(kind);
  const judges: [Judge, ...Judge[]] = beside === kind ? [rewarding] : [rewarding, open(beside)];
  return { judges, close: async () => chat?.close() };
}

function openChat(
  { reward, seed }: JudgeConfig,
  outputDir: string,
  environment: NodeJS.ProcessEnv,
): ChatJudge {
  const url = reward.url ?? environment.LLMASJUDGE_API_URL;
  const model = reward.model ?? environment.LLMASJUDGE_MODEL;
  if (!url || !model || !URL.canParse(url))
    throw new HoneError(
      'config_invalid',
      'A language model is to judge, and where it is or its name is not known. Set LLMASJUDGE_API_URL to the address ' +
        "of a server with OpenAI's chat completions and LLMASJUDGE_MODEL to the model's name there.",
      { param: 'judge.reward' },
    );
  return new ChatJudge({
    ...reward,
    url,
    model,
    apiKey: environment.LLMASJUDGE_API_KEY || null,
    seed,
    cacheFolder: join(outputDir, CACHE_FOLDER),
  });
}
