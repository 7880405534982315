/**
 * How many cores other programs leave free. ggml's threads wait for each other in a spinning barrier at every node of
 * the graph: one thread without a core of its own holds up all the others, and two threads on a machine where one
 * core is busy were measured eight times slower than one thread.
 */
import { cpus } from 'node:os';

const SAMPLE_MILLISECONDS = 500;
/** A core counts as free when other programs use at most this share of it. */
const TOLERATED_SHARE = 0.35;
const MICROSECONDS_PER_MILLISECOND = 1000;

interface Sample {
  /** Milliseconds of all cores together since the machine started, without idling. */
  busy: number;
  /** Milliseconds of this process on all cores. */
  own: number;
  at: number;
}

/** Measures twice a second how many cores other programs leave free; `close` ends it. */
export class FreeCores {
  private readonly limit: number;
  private readonly timer: NodeJS.Timeout;
  private last: Sample = sample();
  private free: number;

  /** `limit`: most cores to count. */
  constructor(limit: number) {
    this.limit = limit;
    this.free = limit;
    this.timer = setInterval(() => this.measure(), SAMPLE_MILLISECONDS);
    this.timer.unref();
  }

  /** From 1 to the limit. */
  get count(): number {
    return this.free;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private measure(): void {
    const now = sample();
    const { last } = this;
    this.last = now;
    this.free = freeCores(now.busy - last.busy, now.own - last.own, now.at - last.at, this.limit);
  }
}

/** Free cores from the milliseconds that all programs and this one computed within `elapsed`. */
export function freeCores(busy: number, own: number, elapsed: number, limit: number): number {
  const others = Math.max(0, busy - own) / elapsed;
  const taken = Math.floor(others + 1 - TOLERATED_SHARE);
  return Math.max(1, Math.min(limit, limit - taken));
}

function sample(): Sample {
  const busy = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
  const { user, system } = process.cpuUsage();
  return { busy, own: (user + system) / MICROSECONDS_PER_MILLISECOND, at: performance.now() };
}
