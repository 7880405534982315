import { ConfigurationTarget, EventEmitter, l10n, workspace, type Disposable, type Event } from 'vscode';
import { readSettings, SETTINGS, SETTINGS_SECTION, type Settings } from '../common/contributions.ts';
import { languageSwitched, workspaceSwitched } from '../common/status/switches.ts';
import type { Log } from '../node/keptLog.ts';

/** The settings in force; a refused value is logged and its default stands. */
export class CurrentSettings implements Disposable {
  readonly #log: Log;
  readonly #changed = new EventEmitter<{ before: Settings; after: Settings }>();
  readonly #subscription: Disposable;
  #value: Settings;
  #isTrackingAnswered = false;

  readonly onChange: Event<{ before: Settings; after: Settings }> = this.#changed.event;

  constructor(log: Log) {
    this.#log = log;
    this.#value = this.#read();
    this.#subscription = workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration(SETTINGS_SECTION)) return;
      const before = this.#value;
      this.#value = this.#read();
      this.#changed.fire({ before, after: this.#value });
    });
  }

  get value(): Settings {
    return this.#value;
  }

  /** The user has said whether anything may be recorded. Until then tracking is off, whatever the default. */
  get isTrackingAnswered(): boolean {
    return this.#isTrackingAnswered;
  }

  /** Says for the user whether outcomes may be recorded and learned from, everywhere. */
  async answerTracking(on: boolean): Promise<void> {
    const configuration = workspace.getConfiguration(SETTINGS_SECTION);
    await configuration.update(SETTINGS.trackingEnabled.key, on, ConfigurationTarget.Global);
  }

  /** Turns a switch over, for the user. */
  async toggle(name: 'trackingEnabled' | 'completionsEnabled'): Promise<void> {
    await this.#write(name, !this.#value[name]);
  }

  /** Turns completions off or on in a language. */
  async toggleLanguage(language: string): Promise<void> {
    await this.#write('disabledLanguages', languageSwitched(this.#value.disabledLanguages, language));
  }

  /** Turns completions off or on in this workspace, whatever holds elsewhere. */
  async toggleWorkspace(): Promise<void> {
    if (!workspace.workspaceFolders) throw new Error(l10n.t('No folder is open that this could be set for.'));
    const configuration = workspace.getConfiguration(SETTINGS_SECTION);
    const { key, fallback } = SETTINGS.completionsEnabled;
    const values = configuration.inspect<boolean>(key);
    const elsewhere = values?.globalValue ?? fallback;
    const after = workspaceSwitched(elsewhere, values?.workspaceValue);
    await configuration.update(key, after, ConfigurationTarget.Workspace);
  }

  /** Changes a setting of this machine, for the user. */
  async set<Name extends keyof Settings>(name: Name, value: Settings[Name]): Promise<void> {
    const configuration = workspace.getConfiguration(SETTINGS_SECTION);
    await configuration.update(SETTINGS[name].key, value, ConfigurationTarget.Global);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  /** Where the user has set it already: for the workspace, else for all. */
  async #write(name: keyof Settings, value: unknown): Promise<void> {
    const configuration = workspace.getConfiguration(SETTINGS_SECTION);
    const { key } = SETTINGS[name];
    const inWorkspace = configuration.inspect(key)?.workspaceValue !== undefined;
    const target = inWorkspace ? ConfigurationTarget.Workspace : ConfigurationTarget.Global;
    await configuration.update(key, value, target);
  }

  #read(): Settings {
    const configuration = workspace.getConfiguration(SETTINGS_SECTION);
    const { key: tracking } = SETTINGS.trackingEnabled;
    this.#isTrackingAnswered = isAnswered(configuration.inspect<boolean>(tracking));
    const { settings, refused } = readSettings((key) =>
      key === tracking && !this.#isTrackingAnswered ? false : configuration.get(key),
    );
    for (const key of refused)
      this.#log.warn(`The setting ${key} has a value that is not allowed; its default stands.`);
    return settings;
  }
}

interface SetValues {
  globalValue?: boolean;
  workspaceValue?: boolean;
  workspaceFolderValue?: boolean;
}

/** The user's own value is an answer. One that comes with a workspace may only say no: others may have written it. */
function isAnswered(values: SetValues | undefined): boolean {
  const { globalValue, workspaceValue, workspaceFolderValue } = values ?? {};
  return globalValue !== undefined || (workspaceFolderValue ?? workspaceValue) === false;
}

/** True when something changed that only a new companion takes up. */
export function needsRestart(before: Settings, after: Settings): boolean {
  const names = Object.keys(SETTINGS) as (keyof Settings)[];
  return names.some((name) => SETTINGS[name].restarts && differs(before[name], after[name]));
}

/** True when other files may be in the index of the workspace, or others be shown of it. */
export function needsNewIndex(before: Settings, after: Settings): boolean {
  const names = ['completionsEnabled', 'context', 'contextSources', 'excludedFiles'] as const;
  return names.some((name) => differs(before[name], after[name]));
}

/** Lists and objects are made anew at each reading. */
function differs(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) !== JSON.stringify(after);
}
