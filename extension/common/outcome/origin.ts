import { TYPED_INSERT_MAX_UNITS } from './correctionTracker.ts';
import type { ChangeOrigin, TextEdit } from './events.ts';

interface ChangeFacts {
  edits: readonly TextEdit[];
  /** As the editor says it. */
  reason: 'undo' | 'redo' | undefined;
  /** The document is the one in the focused editor of a focused window. */
  focused: boolean;
  /** Selections before the change, in offsets. */
  selections: readonly { start: number; end: number }[];
}

/**
 * Who made a change, as far as the stable API tells. What a developer types touches a caret or a selection of the
 * focused editor; a formatter, a refactoring or another program mostly doesn't.
 */
export function originOf({ edits, reason, focused, selections }: ChangeFacts): ChangeOrigin {
  if (reason) return reason;
  if (!focused) return 'tool';
  const atCaret = edits.some((edit) =>
    selections.some(({ start, end }) => edit.offset <= end && edit.offset + edit.deleted >= start),
  );
  if (!atCaret) return 'tool';
  return edits.some((edit) => edit.inserted.length > TYPED_INSERT_MAX_UNITS) ? 'paste' : 'typing';
}
