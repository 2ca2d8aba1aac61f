import { basename } from 'node:path';

import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { type Finding, note, ok } from '../finding.ts';
import { formatSize } from '../format-size.ts';
import { nameSome } from '../name-some.ts';
import type { Patient } from '../patient.ts';
import { askHealth } from './ask-health.ts';

/** What waits for runs, what it takes, and whether it was of use. */
export async function checkWarm({ home, service }: Patient, signal: AbortSignal): Promise<Finding[]> {
  if (service === null) return [];
  const health = await askHealth(service.url, service.token ? home : null, signal);
  // What else is wrong with the service is said by the check of it. One of an older version does not know of this.
  const warm = health.kind === 'well' ? health.answer.warm : undefined;
  return isJsonObject(warm) ? [judgeWarm(warm)] : [];
}

/** From `warm` in the answer of the service. */
export function judgeWarm(warm: JsonObject): Finding {
  const budget = countIn(warm.budget_bytes);
  if (budget === 0)
    return ok(
      'service',
      'Warm interpreters: switched off (warm_memory_mb is 0), so every run starts its own',
    );
  const what = `Warm interpreters: ${describeWaiting(warm.interpreters)}, ${formatSize(countIn(warm.memory_bytes))} of ${formatSize(budget)}; ${describeUse(warm)}`;
  if (warm.short_of_memory !== true) return ok('service', what);
  return note(
    'service',
    `${what}; none is started for now, since this machine is short of memory`,
    'Close what takes much memory: until then runs take longer to start. To be rid of this note, set warm_memory_mb to 0.',
  );
}

function describeWaiting(value: Json | undefined): string {
  const kinds = (Array.isArray(value) ? value : [])
    .filter((kind) => isJsonObject(kind))
    .filter((kind) => countIn(kind.waiting) > 0);
  if (kinds.length === 0) return 'none waiting';
  const waiting = kinds.reduce((sum, kind) => sum + countIn(kind.waiting), 0);
  return `${waiting} waiting (${nameSome([...new Set(kinds.map(nameOf))])})`;
}

function nameOf({ path, preload }: JsonObject): string {
  const modules = Array.isArray(preload) ? preload : [];
  const name = basename(String(path));
  return modules.length === 0 ? name : `${name} with ${modules.join(' and ')}`;
}

function describeUse(warm: JsonObject): string {
  const hits = countIn(warm.hits);
  const runs = hits + countIn(warm.misses);
  return runs === 0 ? 'no run could use one yet' : `${hits} of ${runs} runs that could start warm did`;
}

function countIn(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}
