import { rowMark } from './row-mark.ts';

/** Notes on the entry of the history that is being left which row one goes to, so that coming back leads to it. */
export function noteLeftRow(target: EventTarget): void {
  const row = target instanceof Element ? target.closest(`[${rowMark}]`) : null;
  if (row !== null) history.replaceState({ leftRow: row.getAttribute(rowMark) }, '');
}

/** The run to whose page one went from here; null: none, or one has not come back. */
export function leftRow(): string | null {
  const state: unknown = history.state;
  if (typeof state !== 'object' || state === null) return null;
  const row: unknown = Reflect.get(state, 'leftRow');
  return typeof row === 'string' ? row : null;
}
