/** A failure of the native library or of a file it reads, with what to do about it. */
export class GgmlError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'GgmlError';
    this.code = code;
  }
}
