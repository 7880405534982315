/** How a download stands. */
export interface DownloadProgress {
  receivedBytes: number;
  /** Null: not known yet. */
  totalBytes: number | null;
  /** Null: not known yet. */
  secondsLeft: number | null;
}

const WINDOW_MS = 10_000;
/** A guess from less says more about the first packets than about the download. */
const SETTLED_MS = 1500;

/** Time left, from the last seconds' rate. */
export class Rate {
  readonly #points: { at: number; bytes: number }[] = [];

  /** @param now milliseconds of any clock that only goes forward */
  progress(receivedBytes: number, totalBytes: number | null, now: number): DownloadProgress {
    this.#points.push({ at: now, bytes: receivedBytes });
    while (this.#points.length > 2 && now - this.#points[0]!.at > WINDOW_MS) this.#points.shift();
    const first = this.#points[0]!;
    const rate = (receivedBytes - first.bytes) / (now - first.at);
    const known = totalBytes !== null && now - first.at >= SETTLED_MS && rate > 0;
    const secondsLeft = known ? Math.max(0, (totalBytes - receivedBytes) / rate / 1000) : null;
    return { receivedBytes, totalBytes, secondsLeft };
  }
}
