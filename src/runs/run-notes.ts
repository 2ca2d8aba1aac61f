import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

import { readRegularFile } from '../shared/read-regular-file.ts';
import type { RunFolder } from './run-folder.ts';

/** Notes are few and short: more than this was not written by us. */
const mostBytes = 64 * 1024;

// The folder is the script's, too: what it may have put in the place of the file is not followed.
const appendFlags =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_APPEND |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOFOLLOW ?? 0);

/** Writes down what somebody who looks at this run should know of how Hob treated it. */
export async function addRunNote({ notesLog }: RunFolder, at: Date, note: string): Promise<void> {
  const handle = await open(notesLog, appendFlags, 0o600);
  try {
    await handle.writeFile(`${at.toISOString()} ${note}\n`);
  } finally {
    await handle.close();
  }
}

/** Empty where there is nothing to say, or nothing left. */
export async function readRunNotes({ notesLog }: RunFolder): Promise<string> {
  const read = await readRegularFile(notesLog, { maxBytes: mostBytes, ownOnly: true });
  return read.kind === 'content' ? read.bytes.toString() : '';
}
