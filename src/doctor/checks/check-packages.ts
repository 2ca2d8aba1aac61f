import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { type Finding, note, ok, problem } from '../finding.ts';
import { absent, readRecords } from '../package-records.ts';
import type { Patient } from '../patient.ts';

/** Whether all that is installed can be used, and whether something is left of what was stopped halfway. */
export async function checkPackages({ home, service }: Patient): Promise<Finding[]> {
  const records = await readRecords(home);
  const findings = records.flatMap((record): Finding[] => {
    if (record.kind === 'readable') return [];
    const next = `Remove the folder ${dirname(record.path)}, and install the script again.`;
    return [problem('packages', `${record.path} ${record.fault}, so that this package cannot be run`, next)];
  });
  const staging = join(home, 'packages', '.staging');
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
  const readable = records.filter(({ kind }) => kind === 'readable').length;
  if (records.length > 0 || findings.length > 0)
    findings.push(
      ok('packages', readable === 1 ? '1 package is installed' : `${readable} packages are installed`),
    );
  return findings;
}
