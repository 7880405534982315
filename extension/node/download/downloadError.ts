export type DownloadFailure =
  | 'cancelled'
  | 'no_space'
  | 'wrong_checksum'
  | 'other_file'
  | 'not_the_file'
  | 'not_found'
  | 'refused'
  | 'broken_off'
  | 'unreachable'
  | 'unwritable';

/** Failures that another try, after a while, may get over. */
const PASSING: readonly DownloadFailure[] = ['broken_off', 'unreachable'];

/** Why a download has no file to show: a code, and a sentence on what is wrong and what to do. */
export class DownloadError extends Error {
  readonly code: DownloadFailure;

  constructor(code: DownloadFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'DownloadError';
    this.code = code;
  }

  get passes(): boolean {
    return PASSING.includes(this.code);
  }
}
