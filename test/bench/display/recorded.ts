/** Recorded suggestions with what was predicted of them, each from the outcomes that were known before it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { FeedbackEvent } from '../../../extension/common/contracts/index.ts';
import { labelOf } from '../../../extension/common/display/label.ts';
import { AcceptanceModel } from '../../../trainer/acceptance/acceptanceModel.ts';
import { createLogger } from '../../../trainer/server/shared/logging.ts';
import { openStore, type Store } from '../../../trainer/store/store.ts';
import type { OutcomeFacts, StoredCompletion, TrainingFacts } from '../../../trainer/store/types.ts';

/** One suggestion that was shown and judged. */
export interface Judged {
  /** Predicted chance, and the same before anything was learned. */
  chance: number;
  untaught: number;
  /** Predicted before the suggestion was made. */
  before: number;
  /** 0 rejected .. 1 taken and kept, and the weight of that label. */
  worth: number;
  weight: number;
  /** Characters of it that stayed. */
  keptChars: number;
  /** Of its tokens at temperature 1, nats. */
  logprobs: number[];
}

interface Rules {
  acceptThreshold: number;
  observedWeight: number;
}

/** More than a replay has. */
const MOST = 1_000_000;

/**
 * Reads the data folder of a replay with the display filter off, in the order in which it was asked. The companion's own
 * predictor is given the requests and the outcomes as they came, in a store of its own.
 */
export function readJudged(dataDir: string, rules: Rules): Judged[] {
  const recorded = openStore(dataDir);
  const folder = mkdtempSync(join(tmpdir(), 'hone-bench-display-'));
  const store = openStore(folder);
  try {
    const rows = recordedRows(recorded);
    const modelHash = rows[0]?.completion.modelHash ?? '';
    const parts = { modelHash, rules, logger: createLogger('warn') };
    const learning = new AcceptanceModel({ ...parts, store });
    const untaught = new AcceptanceModel({ ...parts, store: recorded });
    const waiting = rows.map(({ facts }) => facts).sort((a, b) => a.seq - b.seq);
    return rows.flatMap(({ facts, completion }) => {
      while (waiting.length > 0 && waiting[0]!.receivedAt <= completion.createdAt)
        store.events.submit(eventsOf(waiting.shift()!), completion.createdAt);
      const ask = askOf(completion);
      const prediction = learning.predict(ask);
      store.recordCompletion({ ...completion, promptTokens: completion.promptTokens ?? [], prediction });
      const retained = facts.retention?.fraction ?? null;
      const label = labelOf({ ...facts, shownChars: facts.shownText.length, retained }, rules);
      if (label === null || prediction.after === undefined) return [];
      return {
        chance: prediction.after,
        untaught: untaught.predict(ask).after!,
        before: prediction.before,
        ...label,
        keptChars: label.worth * facts.shownText.length,
        logprobs: completion.modelLogprobs,
      };
    });
  } finally {
    store.close();
    recorded.close();
    rmSync(folder, { recursive: true });
  }
}

function recordedRows({ facts }: Store): TrainingFacts[] {
  return [...facts.undecided(), ...facts.decided(MOST), ...facts.heldOut(MOST)]
    .flatMap((one) => facts.training(one) ?? [])
    .sort((a, b) => a.completion.createdAt - b.completion.createdAt);
}

function askOf(completion: StoredCompletion) {
  const { promptText, language, workspaceKey, rawText, modelLogprobs, finishReason } = completion;
  return {
    ...{ promptText, language, workspaceKey, text: rawText, logprobs: modelLogprobs },
    // The replay's clock is a virtual one, and the record's is not.
    askedAt: undefined,
    finished: finishReason === 'stop',
  };
}

function eventsOf(facts: OutcomeFacts): FeedbackEvent[] {
  const { eventId, completionId, receivedAt, outcome, evidence, shownText, shownMs } = facts;
  const base = { v: 1, completionId, at: receivedAt } as const;
  const place = {
    ...{ language: '', relativePath: '', workspaceKey: '', documentVersion: 0, offset: 0, session: '' },
  };
  const shown = { outcome, evidence, shownText, shownMs, filters: [], ...place };
  const fraction = facts.retention?.fraction ?? null;
  return [
    { ...base, id: eventId, kind: 'outcome', ...shown },
    ...(fraction === null
      ? []
      : [{ ...base, id: uuidv7(), kind: 'retention', afterSeconds: 120, fraction } as const]),
  ];
}
