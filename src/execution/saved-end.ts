import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { replacePrivateFile } from '../shared/private-files.ts';
import { endCauses, type RunEnd } from './messages.ts';

const fileName = 'end.json';

/** Writes down how a run ended, for a service that is not there to be told. */
export async function saveEnd(runFolder: string, end: RunEnd): Promise<void> {
  await replacePrivateFile(join(runFolder, fileName), JSON.stringify(end));
}

/** How a run ended while no service was there; null when nobody wrote it down. */
export async function readSavedEnd(runFolder: string, runId: string): Promise<RunEnd | null> {
  try {
    const end: unknown = JSON.parse(await readFile(join(runFolder, fileName), 'utf8'));
    return isEndOf(end, runId) ? end : null;
  } catch {
    // No such file, or half of one: then nobody knows.
    return null;
  }
}

/** The file lies where the script could write, too: it must at least be what we would have written. */
function isEndOf(value: unknown, runId: string): value is RunEnd {
  if (typeof value !== 'object' || value === null) return false;
  const has = (key: string, type: string) => typeof Reflect.get(value, key) === type;
  const isStream = (key: string) => typeof Reflect.get(Object(Reflect.get(value, key)), 'bytes') === 'number';
  const cause: unknown = Reflect.get(value, 'cause');
  return (
    Reflect.get(value, 'runId') === runId &&
    endCauses.some((known) => known === cause) &&
    has('exitCode', 'number') &&
    has('endedAtMs', 'number') &&
    has('durationMs', 'number') &&
    isStream('stdout') &&
    isStream('stderr')
  );
}
