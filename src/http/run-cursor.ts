import type { Cursor } from '../runs/history/history-store.ts';
import { invalidCursor } from './query-fields.ts';

/** The end of a page, as an opaque text. */
export function writeCursor({ queuedAt, seq }: Cursor): string {
  return Buffer.from(`${seq} ${queuedAt}`).toString('base64url');
}

export function readCursor(text: string): Cursor {
  const match = /^(\d{1,15}) (\d{4}-\d{2}-\d{2}T[\d:.]{8,12}Z)$/.exec(
    Buffer.from(text, 'base64url').toString(),
  );
  const [, seq, queuedAt] = match ?? [];
  if (seq === undefined || queuedAt === undefined) throw invalidCursor();
  return { seq: Number(seq), queuedAt };
}
