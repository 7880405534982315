/** Names in the extension's folder that the command line finds from the companion's. */
export const EXTENSION_DATABASE = 'extension.sqlite';
export const COMPANION_FOLDER = 'companion';
export const COMPANION_LOG = 'companion.log';
