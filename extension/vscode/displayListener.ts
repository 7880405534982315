import type { InlineCompletionItem } from 'vscode';
import type { Capture } from './capture.ts';
import type { DisplayListener, EndOfLife } from './proposed.ts';
import type { HoneProvider } from './provider.ts';

const REASONS = ['accepted', 'rejected', 'ignored'] as const;

/** Passes the editor's own display events on, where it has them. */
export function displayListener(provider: HoneProvider, capture: Capture): DisplayListener {
  return {
    shown(item: InlineCompletionItem): void {
      const id = provider.idOf(item);
      if (id !== undefined) capture.editorShown(id);
    },
    ended(item: InlineCompletionItem, reason: EndOfLife): void {
      const id = provider.idOf(item);
      if (id === undefined) return;
      capture.editorEnded({ id, reason: REASONS[reason.kind], typedAgainst: reason.userTypingDisagreed });
    },
  };
}
