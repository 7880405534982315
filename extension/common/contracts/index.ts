export * from './completion.ts';
export * from './data.ts';
export * from './feedback.ts';
export * from './infill.ts';
export * from './learner.ts';
export * from './lock.ts';
export * from './model.ts';
export * from './outcome.ts';
export type { HoneFields } from './requestFields.ts';
