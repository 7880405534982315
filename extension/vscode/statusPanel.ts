import { randomBytes } from 'node:crypto';
import { ViewColumn, window, type Disposable, type WebviewPanel } from 'vscode';
import type { StatusPageData } from '../common/status/statusPageData.ts';
import { renderStatusPage } from '../../webview-ui/statusPage.ts';

const REFRESH_MS = 3000;
const NONCE_BYTES = 16;

/** The page of "Show Status". It is rendered here and holds no script. */
export class StatusPanel implements Disposable {
  readonly #data: () => Promise<StatusPageData>;
  #panel: WebviewPanel | undefined;
  #timer: NodeJS.Timeout | undefined;
  #shown = '';

  constructor(data: () => Promise<StatusPageData>) {
    this.#data = data;
  }

  async show(): Promise<void> {
    if (this.#panel) {
      this.#panel.reveal();
      return;
    }
    this.#panel = window.createWebviewPanel('hone.status', 'Hone: Status', ViewColumn.Beside, {
      enableScripts: false,
      enableCommandUris: false,
      localResourceRoots: [],
    });
    this.#panel.onDidDispose(() => this.#closed());
    this.#timer = setInterval(() => void this.refresh(), REFRESH_MS);
    await this.refresh();
  }

  /** Renders anew when something changed. */
  async refresh(): Promise<void> {
    const panel = this.#panel;
    if (!panel?.visible) return;
    const data = await this.#data();
    const text = JSON.stringify(data);
    if (panel !== this.#panel || text === this.#shown) return;
    this.#shown = text;
    panel.webview.html = renderStatusPage(data, randomBytes(NONCE_BYTES).toString('base64url'));
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  #closed(): void {
    clearInterval(this.#timer);
    this.#panel = undefined;
    this.#shown = '';
  }
}
