/** What the commands that turn completions off and on somewhere write into the settings. */

/** The languages without completions, with this one put in or taken out. */
export function languageSwitched(disabled: readonly string[], language: string): string[] {
  return disabled.includes(language)
    ? disabled.filter((one) => one !== language)
    : [...disabled, language].sort();
}

/**
 * The workspace's own value of a switch after it is turned over there; undefined: none is needed.
 *
 * @param elsewhere what is in force without the workspace's value
 * @param own the workspace's value, where it has one
 */
export function workspaceSwitched(elsewhere: boolean, own: boolean | undefined): boolean | undefined {
  const after = !(own ?? elsewhere);
  return after === elsewhere ? undefined : after;
}
