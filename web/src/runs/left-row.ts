import { rowMark } from './row-mark.ts';

/** Stores the clicked row in the current entry of the browser history, so that Back returns to it. */
export function noteLeftRow(target: EventTarget): void {
  const row = target instanceof Element ? target.closest(`[${rowMark}]`) : null;
  if (row !== null) history.replaceState({ leftRow: row.getAttribute(rowMark) }, '');
}

/** The run that was opened from this history entry; null if none was. */
export function leftRow(): string | null {
  const state: unknown = history.state;
  if (typeof state !== 'object' || state === null) return null;
  const row: unknown = Reflect.get(state, 'leftRow');
  return typeof row === 'string' ? row : null;
}
