import { randomBytes } from 'node:crypto';
import { Uri, ViewColumn, window, type Disposable, type WebviewPanel } from 'vscode';
import { fromDashboardSchema, type DashboardTab, type ToDashboard } from '../common/contracts/dashboard.ts';
import { dashboardPage } from '../common/dashboard/page.ts';
import type { Log } from '../node/keptLog.ts';
import type { DashboardAction } from './dashboardActions.ts';
import type { DashboardReader } from './dashboardReader.ts';

const REFRESH_MS = 3000;
const NONCE_BYTES = 16;

interface DashboardOptions {
  reader: DashboardReader;
  /** Folder of the page's bundle. */
  bundle: Uri;
  /** Does what the page asks for; what it throws is shown. */
  act: (message: DashboardAction) => Promise<void>;
  log: Log;
}

/** The dashboard, in a tab of the editor. */
export class DashboardPanel implements Disposable {
  readonly #options: DashboardOptions;
  #panel: WebviewPanel | undefined;
  #timer: NodeJS.Timeout | undefined;
  #tab: DashboardTab | undefined;
  #shown = '';
  #openedAt = 0;
  /** When the page could be told something, and when there was something to tell; 0: not yet. */
  #readyAt = 0;
  #figuresAt = 0;

  constructor(options: DashboardOptions) {
    this.#options = options;
  }

  /** Opens it, or brings it to the front; with `tab`, that tab is shown. */
  show(tab?: DashboardTab): void {
    this.#tab = tab;
    if (this.#panel) {
      this.#panel.reveal();
      this.#showTab();
      return;
    }
    const { bundle } = this.#options;
    this.#openedAt = performance.now();
    this.#readyAt = this.#figuresAt = 0;
    const panel = window.createWebviewPanel('hone.dashboard', 'Hone: Dashboard', ViewColumn.Active, {
      enableScripts: true,
      enableCommandUris: false,
      localResourceRoots: [bundle],
    });
    this.#panel = panel;
    panel.onDidDispose(() => this.#closed());
    panel.onDidChangeViewState(() => void this.refresh());
    panel.webview.onDidReceiveMessage((message: unknown) => void this.#received(message));
    panel.webview.html = dashboardPage({
      nonce: randomBytes(NONCE_BYTES).toString('base64url'),
      source: panel.webview.cspSource,
      script: panel.webview.asWebviewUri(Uri.joinPath(bundle, 'dashboard.js')).toString(),
      style: panel.webview.asWebviewUri(Uri.joinPath(bundle, 'dashboard.css')).toString(),
    });
    this.#timer = setInterval(() => void this.refresh(), REFRESH_MS);
    void this.refresh();
  }

  /** Reads what has changed and shows it, while the page can be seen. */
  async refresh(): Promise<void> {
    if (!this.#panel?.visible) return;
    const { reader } = this.#options;
    // The store answers at once, the companion when it can.
    await reader.readStore();
    this.#figuresAt ||= performance.now();
    this.#post();
    await reader.readCompanion();
    this.#post();
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  async #received(message: unknown): Promise<void> {
    const { log, reader } = this.#options;
    const parsed = fromDashboardSchema.safeParse(message);
    if (!parsed.success) {
      log.error(`The dashboard said something unknown: ${parsed.error.message}`);
      return;
    }
    switch (parsed.data.type) {
      case 'ready':
        this.#readyAt = performance.now();
        this.#shown = '';
        this.#showTab();
        return this.refresh();
      case 'painted':
        log.info(
          `Dashboard on the screen after ${this.#since(performance.now())} ms; page loaded after ${this.#since(this.#readyAt)} ms, figures read after ${this.#since(this.#figuresAt)} ms`,
        );
        return;
      case 'choose':
        reader.choose(parsed.data.unit);
        return this.refresh();
      default:
        return this.#act(parsed.data);
    }
  }

  async #act(message: DashboardAction): Promise<void> {
    const { act, log, reader } = this.#options;
    try {
      await act(message);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      log.error(`Dashboard: ${text}`);
      void window.showErrorMessage(`Hone: ${text}`);
    }
    this.#send({ type: 'settled', action: message.type });
    reader.forget();
    await this.refresh();
  }

  #since(time: number): number {
    return Math.round(time - this.#openedAt);
  }

  #showTab(): void {
    if (this.#tab === undefined) return;
    this.#send({ type: 'show', tab: this.#tab });
  }

  #post(): void {
    const data = this.#options.reader.data();
    const text = JSON.stringify(data);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#send({ type: 'data', data: { at: Date.now(), ...data } });
  }

  #send(message: ToDashboard): void {
    void this.#panel?.webview.postMessage(message);
  }

  #closed(): void {
    clearInterval(this.#timer);
    this.#panel = undefined;
    this.#shown = '';
  }
}
