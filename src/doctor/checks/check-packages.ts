import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { PackageStore } from '../../packages/store/package-store.ts';
import { errnoOf } from '../../shared/errors.ts';
import { type Finding, note, ok, problem } from '../finding.ts';
import type { Patient } from '../patient.ts';

/** Whether all that is installed can be used, and whether something is left of what was stopped halfway. */
export async function checkPackages({ home, service }: Patient): Promise<Finding[]> {
  const folder = join(home, 'packages');
  const store = new PackageStore(folder);
  const findings: Finding[] = [];
  let usable = 0;
  for (const id of await store.ids()) {
    const reading = await store.read(id);
    // Being installed, or being removed.
    if (reading.kind === 'missing') continue;
    const fault = await faultOf(store, id, reading);
    if (fault === null) usable++;
    else findings.push(problem('packages', `The package ${id} cannot be run: ${fault}`, removal(id)));
  }
  const staging = join(folder, '.staging');
  const left = await readdir(staging).catch(absent);
  // While the service runs, what is there is being worked on.
  if (left.length > 0 && service === null)
    findings.push(
      note(
        'packages',
        `${staging} holds what is left of ${left.length} stopped installations`,
        'Nothing needs to be done: the next start removes it.',
      ),
    );
  if (usable > 0 || findings.length > 0)
    findings.push(
      ok('packages', usable === 1 ? '1 package is installed' : `${usable} packages are installed`),
    );
  return findings;
}

async function faultOf(
  store: PackageStore,
  id: string,
  reading: Awaited<ReturnType<PackageStore['read']>>,
): Promise<string | null> {
  if (reading.kind !== 'record') return `${join(store.folderOf(id), 'installed.json')} is damaged`;
  const { current } = reading.record;
  return (await store.hasVersion(id, current)) ? null : `its version ${current} is not there`;
}

function removal(id: string): string {
  return `Remove it with: hob uninstall ${id}. Then install it again.`;
}

/** A folder that is not there has nothing in it. */
function absent(error: unknown): never[] {
  if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
  throw error;
}
