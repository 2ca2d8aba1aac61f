import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { replacePrivateFile } from '../shared/private-files.ts';
import type { RunEnd } from './messages.ts';

const fileName = 'end.json';

/** Writes down how a run ended, for a service that is not there to be told. */
export async function saveEnd(runFolder: string, end: RunEnd): Promise<void> {
  await replacePrivateFile(join(runFolder, fileName), JSON.stringify(end));
}

/** How a run ended while no service was there; null when nobody wrote it down. */
export async function readSavedEnd(runFolder: string, runId: string): Promise<RunEnd | null> {
  try {
    const end: RunEnd = JSON.parse(await readFile(join(runFolder, fileName), 'utf8'));
    return end.runId === runId ? end : null;
  } catch {
    // No such file, or half of one: then nobody knows.
    return null;
  }
}
