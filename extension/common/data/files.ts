/** Names in the extension's folder that the command line finds from the companion's. */
export const EXTENSION_DATABASE = 'extension.sqlite';
/** Tokens of the installation, JSON. */
export const EXTENSION_TOKENS = 'tokens.json';
export const COMPANION_FOLDER = 'companion';
export const COMPANION_LOG = 'companion.log';
