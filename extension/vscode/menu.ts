import {
  commands,
  l10n,
  QuickPickItemKind,
  window,
  type Disposable,
  type QuickPick,
  type QuickPickItem,
} from 'vscode';
import { COMMANDS, type CommandName } from '../common/contributions.ts';
import { menuItems } from '../common/status/menu.ts';
import type { Situation } from '../common/status/statusView.ts';

interface Entry extends QuickPickItem {
  command?: CommandName;
}

/** The menu behind the status-bar item. While it is open it says what changes. */
export class Menu implements Disposable {
  readonly #situation: () => Situation;
  #open: QuickPick<Entry> | undefined;

  constructor(situation: () => Situation) {
    this.#situation = situation;
  }

  show(): void {
    this.dispose();
    const menu = window.createQuickPick<Entry>();
    this.#open = menu;
    menu.title = 'Hone';
    menu.placeholder = l10n.t('Choose what to do');
    menu.items = this.#entries();
    menu.onDidAccept(() => {
      const command = menu.selectedItems[0]?.command;
      menu.hide();
      if (command) void commands.executeCommand(COMMANDS[command].id);
    });
    menu.onDidHide(() => this.#closed(menu));
    menu.show();
  }

  /** Something that it shows may have changed. The chosen line stays chosen. */
  refresh(): void {
    if (!this.#open) return;
    const entries = this.#entries();
    if (JSON.stringify(entries) === JSON.stringify(this.#open.items)) return;
    const active = this.#open.activeItems[0]?.command;
    this.#open.items = entries;
    this.#open.activeItems = entries.filter(({ command }) => command !== undefined && command === active);
  }

  dispose(): void {
    if (this.#open) this.#closed(this.#open);
  }

  #closed(menu: QuickPick<Entry>): void {
    if (menu === this.#open) this.#open = undefined;
    menu.dispose();
  }

  #entries(): Entry[] {
    return menuItems(this.#situation()).map((item) =>
      item.kind === 'title'
        ? { label: item.label, kind: QuickPickItemKind.Separator }
        : { label: item.label, description: item.description, command: item.command },
    );
  }
}
