/** How much of a workspace is looked at; each one that is reached is told in the log. */

/** Files of all folders together that are in the index. */
export const FILES_MAX = 100_000;
/** Text of all of them together. */
export const TEXT_BYTES_MAX = 512 * 1024 * 1024;
/** Source files are smaller; of larger ones most are data, and one costs as much as a hundred others. */
export const FILE_BYTES_MAX = 256 * 1024;
/** Deeper folders are a fault of some tool. */
export const FOLDER_DEPTH_MAX = 40;
