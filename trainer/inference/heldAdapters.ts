/** Adapters that are open beside the one in service, each with its own context, for the requests that name them. */
import PQueue from 'p-queue';
import type { AdapterRef } from '../../extension/common/contracts/index.ts';
import type { Logger } from '../server/shared/logging.ts';
import { sameAdapter, type ServedAdapter } from './served.ts';

/** Beside the one in service; the context of each takes about 100 MB with the embedded model. */
const MAX_HELD = 2;

interface HeldOptions {
  /** @throws HoneError when the file is gone, damaged or of another model. */
  open: (adapter: AdapterRef) => Promise<ServedAdapter>;
  logger: Logger;
}

/** Keeps the few that were asked for last. */
export class HeldAdapters {
  private readonly options: HeldOptions;
  /** Opens and closes one at a time, so that there are never more than are allowed. */
  private readonly changes = new PQueue({ concurrency: 1 });
  /** The one asked for last comes last. */
  private held: ServedAdapter[] = [];

  constructor(options: HeldOptions) {
    this.options = options;
  }

  /** Opens an adapter, unless it is open. */
  async hold(adapter: AdapterRef): Promise<void> {
    await (await this.claim(adapter)).release();
  }

  /** An adapter for one request, opened when need be, to be released after it. */
  async claim(adapter: AdapterRef): Promise<ServedAdapter> {
    const open = this.take(adapter);
    if (open !== null) return open;
    return this.changes.add(async () => {
      const meanwhile = this.take(adapter);
      if (meanwhile !== null) return meanwhile;
      const opened = await this.options.open(adapter);
      opened.use();
      this.held.push(opened);
      const [oldest] = this.held.length > MAX_HELD ? this.held.splice(0, 1) : [];
      const closed = oldest?.adapter.version ?? null;
      this.options.logger.info({ version: adapter.version, closed }, 'Opened an adapter of a workspace.');
      await oldest?.retire();
      return opened;
    });
  }

  /** Closes those that are meant; one that a request uses is closed after it. */
  async drop(isMeant: (adapter: AdapterRef) => boolean): Promise<void> {
    await this.changes.add(async () => {
      const gone = this.held.filter((one) => isMeant(one.adapter));
      this.held = this.held.filter((one) => !gone.includes(one));
      for (const one of gone) {
        await one.retire();
        this.options.logger.info({ version: one.adapter.version }, 'Closed an adapter of a workspace.');
      }
    });
  }

  private take(adapter: AdapterRef): ServedAdapter | null {
    const found = this.held.find((one) => sameAdapter(one.adapter, adapter));
    if (found === undefined) return null;
    this.held = [...this.held.filter((one) => one !== found), found];
    found.use();
    return found;
  }
}
