import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { readRegularFile } from '../shared/read-regular-file.ts';
import type { RunFolder } from './run.ts';

/** Notes are few and short. A larger file was not written by Hob. */
const mostBytes = 64 * 1024;

// The script can write to this folder. The flags prevent following a link or blocking on a pipe that it may have put
// here.
const appendFlags =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_APPEND |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOFOLLOW ?? 0);

/** Appends a note that explains to readers of the run how Hob handled it. */
export async function addRunNote({ notesLog }: RunFolder, at: Date, note: string): Promise<void> {
  const handle = await open(notesLog, appendFlags, 0o600);
  try {
    await handle.writeFile(`${at.toISOString()} ${note}\n`);
  } finally {
    await handle.close();
  }
}

/** Returns an empty string if the run has no notes or they were removed. */
export async function readRunNotes({ notesLog }: RunFolder): Promise<string> {
  const read = await readRegularFile(notesLog, { maxBytes: mostBytes, ownOnly: true });
  return read.kind === 'content' ? read.bytes.toString() : '';
}
