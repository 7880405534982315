export * from './events.ts';
export { FeedbackTracker } from './feedbackTracker.ts';
export { originOf } from './origin.ts';
export { retainedFraction } from './retained.ts';
