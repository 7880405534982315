export * from './events.ts';
export { FeedbackTracker } from './feedbackTracker.ts';
export { OutcomeMachine, DECISION_DELAY_MS, type Settled } from './outcomeMachine.ts';
export { DISPLAY_MIN_MS, TYPED_THROUGH_SHARE } from './verdict.ts';
export { CorrectionTracker, CORRECTION_LIMIT_MS, CORRECTION_QUIET_MS } from './correctionTracker.ts';
export { SurvivalTracker, SURVIVAL_CHECKPOINTS_S } from './survivalTracker.ts';
export { originOf, type ChangeFacts } from './origin.ts';
export { retainedFraction } from './retained.ts';
