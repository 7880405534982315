const HIDDEN = '(hidden)';
const SOME_PATH = '(a path)';
/** Where an absolute path begins, and not a part of an address or of a placeholder. */
const PATH_START = String.raw`(?:file:\/\/|(?<![\w:/).~\\])(?:~?\/(?=[^\s/])|~?\\(?=\S)|[A-Za-z]:[\\/]))`;
const QUOTED_PATH = new RegExp(`(['"\`])${PATH_START}.*?\\1`, 'g');
/** Without quotes nobody knows where a path with spaces ends. */
const REST_FROM_PATH = new RegExp(`${PATH_START}.*`, 'g');
const ADDRESS =
  /\b(?!file:)[a-z][a-z\d+.-]*:\/\/(?!(?:127\.0\.0\.1|localhost|\[::1\])(?![\w.@-]))[^\s'"`]+/gi;
const CREDENTIALS =
  /\b(bearer\s+|(?:token|password|authorization|api[-_]?key)["']?\s*[:=]\s*["']?(?:(?:basic|bearer)\s+)?)[\w+/=.~-]{4,}/gi;
/** Tokens of this installation have 43 characters; no word of a message is that long. */
const TOKEN = /[\w+=~-]{32,}/g;

/**
 * Lines of a log, as they may be shown to others: no path but those below the given folders, no address of another
 * machine, nothing that could be a token.
 *
 * @param folders what is written in the place of which folder or text
 */
export function issueLog(
  lines: readonly string[],
  folders: readonly (readonly [folder: string, name: string])[],
): string[] {
  return lines.map((line) => disclosed(line, folders));
}

function disclosed(line: string, folders: readonly (readonly [string, string])[]): string {
  return folders
    .reduce((text, [folder, name]) => text.replaceAll(folder, name), line)
    .replace(QUOTED_PATH, SOME_PATH)
    .replace(ADDRESS, '(an address)')
    .replace(REST_FROM_PATH, SOME_PATH)
    .replace(CREDENTIALS, `$1${HIDDEN}`)
    .replace(TOKEN, HIDDEN);
}
