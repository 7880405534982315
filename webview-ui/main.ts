/** The dashboard: shows what the extension sends, and sends what the user asks for. */
import '@vscode-elements/elements/dist/vscode-badge/index.js';
import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-checkbox/index.js';
import '@vscode-elements/elements/dist/vscode-progress-bar/index.js';
import '@vscode-elements/elements/dist/vscode-radio/index.js';
import '@vscode-elements/elements/dist/vscode-radio-group/index.js';
import '@vscode-elements/elements/dist/vscode-tab-header/index.js';
import '@vscode-elements/elements/dist/vscode-tab-panel/index.js';
import { VscodeTabs } from '@vscode-elements/elements/dist/vscode-tabs/index.js';
import { css, render } from 'lit';
import {
  toDashboardSchema,
  type FromDashboard,
  type ToDashboard,
} from '../extension/common/contracts/dashboard.ts';
import './chart.ts';
import { editor } from './editor.ts';
import { page } from './page.ts';
import type { Actions, State } from './state.ts';

/** Where the page is narrow the tabs take a second line instead of leaving it. */
VscodeTabs.elementStyles.push(css`
  .tablist {
    flex-wrap: wrap;
  }
`);

const root = document.getElementById('dashboard')!;
const state: State = {
  tab: editor.getState()?.tab ?? 'overview',
  data: null,
  busy: new Set(),
  problem: null,
};
let painted = false;

const actions: Actions = {
  ask(message) {
    state.busy.add(message.type);
    editor.postMessage(message);
    draw();
  },
  choose(unit) {
    editor.postMessage({ type: 'choose', unit });
  },
  show(tab) {
    state.tab = tab;
    editor.setState({ tab });
    draw();
  },
};

window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  const message = toDashboardSchema.safeParse(data);
  if (message.success) take(message.data);
  else
    state.problem = `The page doesn't understand the extension. Close it and open it again. ${message.error.message}`;
  draw();
});
draw();
editor.postMessage({ type: 'ready' });

function take(message: ToDashboard): void {
  switch (message.type) {
    case 'data':
      state.data = message.data;
      state.problem = null;
      return;
    case 'show':
      actions.show(message.tab);
      return;
    case 'settled':
      state.busy.delete(message.action as FromDashboard['type']);
  }
}

function draw(): void {
  render(page(state, actions), root);
  if (painted || state.data === null) return;
  painted = true;
  // The frame after the next one: what was drawn is on the screen then.
  requestAnimationFrame(() => requestAnimationFrame(() => editor.postMessage({ type: 'painted' })));
}
