/**
 * Every command, setting and context key, once. The rest of the code uses these names only, and a test holds
 * package.json against them.
 */
import { DEFAULT_CONTEXT_PLAN } from './context/pack.ts';
import { CONTEXT_SOURCES, type ContextSource } from './context/types.ts';
import { FIM_CHOICES } from './prompt/fimChoice.ts';
import { MULTILINE_SETTINGS, type MultilineSetting } from './syntax/shape.ts';

export const COMMANDS = {
  toggleTracking: { id: 'hone.toggleTracking', title: 'Toggle Tracking' },
  toggleCompletions: { id: 'hone.toggleCompletions', title: 'Toggle Completions' },
  toggleLanguage: { id: 'hone.toggleLanguage', title: 'Toggle Completions for This Language' },
  toggleWorkspace: { id: 'hone.toggleWorkspace', title: 'Toggle Completions for This Workspace' },
  snooze: { id: 'hone.snooze', title: 'Snooze…' },
  endSnooze: { id: 'hone.endSnooze', title: 'End Snooze' },
  triggerSuggestion: { id: 'hone.triggerSuggestion', title: 'Trigger Suggestion' },
  trainNow: { id: 'hone.trainNow', title: 'Train Now' },
  learnWorkspace: { id: 'hone.learnWorkspace', title: 'Learn from This Workspace' },
  pauseLearning: { id: 'hone.pauseLearning', title: 'Pause Learning' },
  resumeLearning: { id: 'hone.resumeLearning', title: 'Resume Learning' },
  rollBackAdapter: { id: 'hone.rollBackAdapter', title: 'Roll Back Adapter' },
  activateAdapter: { id: 'hone.activateAdapter', title: 'Activate Adapter…' },
  exportData: { id: 'hone.exportData', title: 'Export My Data…' },
  deleteData: { id: 'hone.deleteData', title: 'Delete My Data…' },
  restartCompanion: { id: 'hone.restartCompanion', title: 'Restart Companion' },
  selectModel: { id: 'hone.selectModel', title: 'Select Model…' },
  downloadModel: { id: 'hone.downloadModel', title: 'Download Model…' },
  showLog: { id: 'hone.showLog', title: 'Show Log' },
  explainPrompt: { id: 'hone.explainPrompt', title: 'Explain Prompt Here' },
  showMenu: { id: 'hone.showMenu', title: 'Show Menu' },
  openWalkthrough: { id: 'hone.openWalkthrough', title: 'Get Started' },
  openSettings: { id: 'hone.openSettings', title: 'Open Settings' },
  reportIssue: { id: 'hone.reportIssue', title: 'Report Issue…' },
  openDashboard: { id: 'hone.openDashboard', title: 'Open Dashboard' },
  showStatus: { id: 'hone.showStatus', title: 'Show Status' },
  acceptWord: { id: 'hone.acceptWord', title: 'Accept Word of Suggestion' },
  acceptLine: { id: 'hone.acceptLine', title: 'Accept Line of Suggestion' },
  dismiss: { id: 'hone.dismiss', title: 'Dismiss Suggestion' },
} as const;
export type CommandName = keyof typeof COMMANDS;

/** Run by the editor after it inserted an item; not in the palette, and not in package.json. */
export const ACCEPTED_COMMAND = 'hone.internal.accepted';

export const CATEGORY = 'Hone';

export const CONTEXT_KEYS = {
  /** A suggestion of ours may be on display: our Escape and accept-word keys are bound only then. */
  offering: 'hone.offering',
  /** Nothing is asked and recorded for a while: the command that ends it is in the palette. */
  snoozed: 'hone.snoozed',
  /** One of the two commands that pause and resume learning is in the palette. */
  learningPaused: 'hone.learningPaused',
  /** A suggestion was accepted in this window: a step of the walkthrough is done. */
  taken: 'hone.taken',
} as const;

export type GpuKind = 'auto' | 'cpu' | 'cuda' | 'vulkan' | 'metal';

/** Whether other code than that around the caret is shown to the model. */
export type ContextSetting = 'auto' | 'off';

/** Whether suggestions that will hardly be taken are hidden. */
export type DisplayFilterSetting = 'on' | 'off';

export interface Settings {
  completionsEnabled: boolean;
  trackingEnabled: boolean;
  keepDays: number;
  disabledLanguages: string[];
  excludedFiles: string[];
  debounceMs: number;
  maxTokens: number;
  lookAhead: boolean;
  readAhead: boolean;
  displayFilter: DisplayFilterSetting;
  multiline: MultilineSetting;
  context: ContextSetting;
  contextSources: ContextSource[];
  temperature: number | null;
  fimTemplate: string;
  aggressiveness: number;
  useProposedApi: boolean;
  inferencePort: number;
  feedbackPort: number;
  modelPath: string;
  gpu: GpuKind;
  threads: number;
  batchEvents: number;
  modelMirror: string;
  companionUrl: string;
  companionFeedbackUrl: string;
  companionHeaders: Record<string, string>;
  companionCertificateFile: string;
  learnOnBattery: boolean;
  /** 0: as many as completions have. */
  learningThreads: number;
  /** One for all, or one for each workspace. */
  adapters: 'shared' | 'workspace';
  /** Megabytes; 0: no limit. */
  memoryLimitMb: number;
}

interface SettingContract<T> {
  /** Below `hone.`. */
  key: string;
  fallback: T;
  /** False: the value is refused, and the fallback stands. */
  allows: (value: unknown) => boolean;
  /** A change takes effect with a new companion. */
  restarts: boolean;
}

const isBoolean = (value: unknown) => typeof value === 'boolean';
const isText = (value: unknown) => typeof value === 'string';
const isMirror = (value: unknown) => value === '' || (isText(value) && /^https?:\/\/\S+$/.test(value));
const isTextList = (value: unknown) => Array.isArray(value) && value.every(isText);
const isTextByName = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isText);
const isNumber = (low: number, high: number) => (value: unknown) =>
  typeof value === 'number' && value >= low && value <= high;
const isWhole = (low: number, high: number) => (value: unknown) =>
  isNumber(low, high)(value) && Number.isInteger(value);
const isGpu = (value: unknown) => ['auto', 'cpu', 'cuda', 'vulkan', 'metal'].includes(value as string);

const isFimChoice = (value: unknown) => FIM_CHOICES.includes(value as string);

const isDisplayFilter = (value: unknown) => value === 'on' || value === 'off';
const isAdapters = (value: unknown) => value === 'shared' || value === 'workspace';
const isContext = (value: unknown) => value === 'auto' || value === 'off';
const isSourceList = (value: unknown) =>
  Array.isArray(value) && value.every((source) => CONTEXT_SOURCES.includes(source as ContextSource));

const isMultiline = (value: unknown) => MULTILINE_SETTINGS.includes(value as MultilineSetting);

const PORT_MAX = 65_535;

export const SETTINGS: { [Name in keyof Settings]: SettingContract<Settings[Name]> } = {
  completionsEnabled: { key: 'completions.enabled', fallback: true, allows: isBoolean, restarts: false },
  trackingEnabled: { key: 'tracking.enabled', fallback: true, allows: isBoolean, restarts: false },
  keepDays: { key: 'tracking.keepDays', fallback: 90, allows: isWhole(1, 3650), restarts: true },
  disabledLanguages: {
    key: 'completions.disabledLanguages',
    fallback: [],
    allows: isTextList,
    restarts: false,
  },
  excludedFiles: { key: 'completions.excludedFiles', fallback: [], allows: isTextList, restarts: false },
  debounceMs: { key: 'completions.debounceMs', fallback: 75, allows: isWhole(50, 1000), restarts: false },
  maxTokens: { key: 'completions.maxTokens', fallback: 48, allows: isWhole(1, 256), restarts: false },
  lookAhead: { key: 'completions.lookAhead', fallback: false, allows: isBoolean, restarts: false },
  readAhead: { key: 'completions.readAhead', fallback: true, allows: isBoolean, restarts: false },
  displayFilter: {
    key: 'completions.displayFilter',
    fallback: 'off',
    allows: isDisplayFilter,
    restarts: false,
  },
  multiline: { key: 'completions.multiline', fallback: 'auto', allows: isMultiline, restarts: false },
  context: { key: 'completions.context', fallback: 'auto', allows: isContext, restarts: false },
  contextSources: {
    key: 'completions.contextSources',
    fallback: [...DEFAULT_CONTEXT_PLAN.sources],
    allows: isSourceList,
    restarts: false,
  },
  temperature: {
    key: 'completions.temperature',
    fallback: null,
    allows: (value) => value === null || isNumber(0, 2)(value),
    restarts: false,
  },
  fimTemplate: { key: 'completions.fimTemplate', fallback: 'auto', allows: isFimChoice, restarts: true },
  aggressiveness: {
    key: 'learning.aggressiveness',
    fallback: 0.25,
    allows: isNumber(0.05, 0.95),
    restarts: true,
  },
  useProposedApi: { key: 'completions.useProposedApi', fallback: true, allows: isBoolean, restarts: false },
  inferencePort: {
    key: 'companion.inferencePort',
    fallback: 0,
    allows: isWhole(0, PORT_MAX),
    restarts: true,
  },
  feedbackPort: { key: 'companion.feedbackPort', fallback: 0, allows: isWhole(0, PORT_MAX), restarts: true },
  modelPath: { key: 'companion.modelPath', fallback: '', allows: isText, restarts: true },
  gpu: { key: 'companion.gpu', fallback: 'auto', allows: isGpu, restarts: true },
  threads: { key: 'companion.threads', fallback: 0, allows: isWhole(0, 256), restarts: true },
  batchEvents: { key: 'learning.batchEvents', fallback: 16, allows: isWhole(1, 1024), restarts: true },
  learnOnBattery: { key: 'learning.onBattery', fallback: false, allows: isBoolean, restarts: true },
  adapters: { key: 'learning.adapters', fallback: 'shared', allows: isAdapters, restarts: true },
  learningThreads: { key: 'learning.threads', fallback: 0, allows: isWhole(0, 256), restarts: true },
  memoryLimitMb: {
    key: 'companion.memoryLimitMb',
    fallback: 0,
    allows: isWhole(0, 1_048_576),
    restarts: true,
  },
  modelMirror: { key: 'models.mirror', fallback: '', allows: isMirror, restarts: false },
  companionUrl: { key: 'companion.url', fallback: '', allows: isText, restarts: true },
  companionFeedbackUrl: { key: 'companion.feedbackUrl', fallback: '', allows: isText, restarts: true },
  companionHeaders: { key: 'companion.headers', fallback: {}, allows: isTextByName, restarts: true },
  companionCertificateFile: {
    key: 'companion.certificateFile',
    fallback: '',
    allows: isText,
    restarts: true,
  },
};

export const SETTINGS_SECTION = 'hone';

/** Settings as they are in force, and the keys whose value was refused. */
export function readSettings(get: (key: string) => unknown): { settings: Settings; refused: string[] } {
  const refused: string[] = [];
  const entries = Object.entries(SETTINGS).map(([name, { key, fallback, allows }]) => {
    const value = get(key);
    if (value === undefined) return [name, fallback];
    if (allows(value)) return [name, value];
    refused.push(`${SETTINGS_SECTION}.${key}`);
    return [name, fallback];
  });
  return { settings: Object.fromEntries(entries) as Settings, refused };
}
