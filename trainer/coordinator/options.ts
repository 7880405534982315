import type { LearnerRequest } from '../../extension/common/contracts/index.ts';
import type { Engine } from '../inference/types.ts';
import type { Logger } from '../server/shared/logging.ts';
import type { RetentionLimits } from '../store/prune.ts';
import type { Store } from '../store/store.ts';
import type { BudgetOptions } from './budget.ts';
import type { TrainingSettings } from './settings.ts';

/** What a coordinator is made with. */
export interface CoordinatorOptions {
  store: Store;
  engine: Engine;
  settings: TrainingSettings;
  /** False: updates only when asked for. */
  automatic: boolean;
  learner: { entry: string; gpu: Extract<LearnerRequest, { type: 'init' }>['gpu']; threads: number };
  /** Absent: the defaults. */
  retention?: RetentionLimits;
  /** Absent: no limits. */
  budget?: Omit<BudgetOptions, 'logger'>;
  logger: Logger;
}
