import {
  MarkdownString,
  StatusBarAlignment,
  ThemeColor,
  window,
  type Disposable,
  type StatusBarItem,
} from 'vscode';
import { COMMANDS } from '../common/contributions.ts';
import { statusView, type Situation } from '../common/status/statusView.ts';

const PRIORITY = 90;

/** The status-bar item; a click opens the menu, whose first line is the switch of tracking. */
export class StatusBar implements Disposable {
  readonly #item: StatusBarItem;

  constructor() {
    this.#item = window.createStatusBarItem('hone.status', StatusBarAlignment.Right, PRIORITY);
    this.#item.name = 'Hone';
    this.#item.command = COMMANDS.showMenu.id;
  }

  show(situation: Situation): void {
    const { kind, text, tooltip, accessible } = statusView(situation);
    const markdown = new MarkdownString();
    for (const line of tooltip) markdown.appendText(line).appendMarkdown('\n\n');
    this.#item.text = text;
    this.#item.tooltip = markdown;
    this.#item.accessibilityInformation = { label: accessible, role: 'button' };
    this.#item.backgroundColor = backgroundOf(kind);
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}

function backgroundOf(kind: string): ThemeColor | undefined {
  if (kind === 'error') return new ThemeColor('statusBarItem.errorBackground');
  return kind === 'fellBack' ? new ThemeColor('statusBarItem.warningBackground') : undefined;
}
