import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { folderBytes } from '../../shared/folder-size.ts';
import { isJsonObject } from '../../shared/json.ts';
import { readRegularFile } from '../../shared/read-regular-file.ts';
import { type Finding, note, ok, problem } from '../finding.ts';
import { formatSize } from '../format-size.ts';
import { nameSome } from '../name-some.ts';
import { absent } from '../package-records.ts';
import type { Patient } from '../patient.ts';

const largestMarkerBytes = 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1000;
const unusedDays = 7;

interface Environment {
  readonly key: string;
  /** Half-made: nobody has said yet that it is complete. */
  readonly state: 'ready' | 'half-made' | 'damaged';
  /** When it was last used, or made if it never was. */
  readonly usedMs: number;
}

/** What environments take, and which of them are of no use. */
export async function checkEnvironments({ home, service }: Patient, signal: AbortSignal): Promise<Finding[]> {
  const folder = join(home, 'environments');
  const entries = await readdir(folder, { withFileTypes: true }).catch(absent);
  // Files beside them are for the builders, and what begins with a dot is being removed.
  const names = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  if (names.length === 0) return [];
  const environments = await Promise.all(names.map((key) => readEnvironment(folder, key)));
  const of = (state: Environment['state']) => environments.filter((each) => each.state === state);
  const findings: Finding[] = [];
  for (const { key } of of('damaged'))
    findings.push(
      problem(
        'environments',
        `${join(folder, key, 'environment.json')} cannot be understood`,
        `Remove it, and the next run makes it anew: hob environments rm ${key}`,
      ),
    );
  // While the service runs, somebody may be at work on it.
  const abandoned =
    service === null ? of('half-made') : of('half-made').filter(({ usedMs }) => usedMs < Date.now() - dayMs);
  if (abandoned.length > 0)
    findings.push(
      note(
        'environments',
        `Half made, and nobody is at work on it: ${nameSome(abandoned.map(({ key }) => key))}`,
        'Nothing needs to be done: the next start removes it.',
      ),
    );
  const unused = of('ready').filter(({ usedMs }) => usedMs < Date.now() - unusedDays * dayMs);
  if (unused.length > 0)
    findings.push(
      note(
        'environments',
        `Not used for ${unusedDays} days: ${nameSome(unused.map(({ key }) => key))}`,
        'Those that no script needs go by themselves; to remove one at once: hob environments rm <key>',
      ),
    );
  findings.push(
    ok(
      'environments',
      `${names.length === 1 ? '1 environment takes' : `${names.length} environments take`} ${await sizeOf(folder, signal)}`,
    ),
  );
  return findings;
}

async function readEnvironment(folder: string, key: string): Promise<Environment> {
  const path = join(folder, key, 'environment.json');
  const found = await stat(path).catch(() => null);
  if (found === null) return { key, state: 'half-made', usedMs: (await stat(join(folder, key))).mtimeMs };
  const content = await readRegularFile(path, { maxBytes: largestMarkerBytes });
  const isReady = content.kind === 'content' && isMarker(content.bytes);
  return { key, state: isReady ? 'ready' : 'damaged', usedMs: found.mtimeMs };
}

function isMarker(bytes: Buffer): boolean {
  try {
    const marker: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(marker) && typeof marker.kind === 'string';
  } catch {
    return false;
  }
}

/** Of a folder too large to be counted in time, that it is large. */
async function sizeOf(folder: string, signal: AbortSignal): Promise<string> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(3000)]);
  return folderBytes(folder, within).then(formatSize, () => 'more than could be counted in 3 s');
}
