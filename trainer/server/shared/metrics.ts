/** Counters and gauges in Prometheus' text format. */

type Kind = 'counter' | 'gauge';

interface Metric {
  kind: Kind;
  help: string;
  read: () => number;
}

/** A set of metrics, written by `text()` in the order in which they were added. */
export class Metrics {
  private readonly metrics = new Map<string, Metric>();

  /** A number that only grows; the returned function adds to it. */
  counter(name: string, help: string): (amount?: number) => void {
    let value = 0;
    this.metrics.set(name, { kind: 'counter', help, read: () => value });
    return (amount = 1) => {
      value += amount;
    };
  }

  /** A number that is read when asked for. */
  gauge(name: string, help: string, read: () => number): void {
    this.metrics.set(name, { kind: 'gauge', help, read });
  }

  text(): string {
    const lines: string[] = [];
    for (const [name, metric] of this.metrics) {
      lines.push(
        `# HELP ${name} ${metric.help}`,
        `# TYPE ${name} ${metric.kind}`,
        `${name} ${metric.read()}`,
      );
    }
    return `${lines.join('\n')}\n`;
  }
}
