import { access } from 'node:fs/promises';
import { join } from 'node:path';

import { type Finding, ok, problem } from '../finding.ts';
import type { Patient } from '../patient.ts';

/** Whether the settings can be used, each problem with the place to mend it. */
export async function checkSettings({ home, settingsProblems }: Patient): Promise<Finding[]> {
  if (settingsProblems.length > 0)
    return settingsProblems.map((what) =>
      problem(
        'settings',
        what,
        'Correct or remove it: Hob does not start with it, and docs/settings.md has every setting.',
      ),
    );
  const path = join(home, 'settings.toml');
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  return [ok('settings', isThere ? `${path} can be used` : 'The defaults hold; there is no settings.toml')];
}
