import type { TrainingStatus } from '../contracts/feedback.ts';

interface LearningPause {
  /** For the status bar, after "paused:". */
  name: string;
  /** With what to do. */
  sentence: string;
}

const PAUSES: Record<string, LearningPause> = {
  battery: {
    name: 'on battery',
    sentence:
      'Learning is paused while the computer runs on battery. hone.learning.onBattery allows it all the same, and Train Now trains at once.',
  },
  memory: {
    name: 'too little memory',
    sentence:
      'Learning is paused: with this model it would take more memory than hone.companion.memoryLimitMb allows. Raise it, or choose a smaller model.',
  },
};

/** Why nothing is learned although there is something to learn; null: learning is not held up. */
export function learningPauseOf(training: TrainingStatus | null): LearningPause | null {
  const reason = training?.pausedBecause;
  if (reason === undefined) return null;
  return PAUSES[reason] ?? { name: reason, sentence: `Learning is paused: ${reason}.` };
}
