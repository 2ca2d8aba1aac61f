import { access } from 'node:fs/promises';
import { join } from 'node:path';

import { type Finding, ok, problem } from '../finding.ts';
import type { Patient } from '../patient.ts';

/** Whether the settings can be used, each problem with the place to mend it. */
export async function checkSettings({ home, settingsProblems }: Patient): Promise<Finding[]> {
  if (settingsProblems.length > 0)
    return settingsProblems.map((what) =>
      problem('settings', what, {
        en: 'Correct or remove it: Hob does not start with it, and docs/settings.md has every setting.',
        zh: '请更正或删除，否则 Hob 无法启动；所有设置见 docs/settings.md。',
      }),
    );
  const path = join(home, 'settings.toml');
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  return [
    isThere
      ? ok('settings', { en: `${path} can be used`, zh: `${path} 有效` })
      : ok('settings', {
          en: 'The defaults hold; there is no settings.toml',
          zh: '使用默认设置，没有 settings.toml',
        }),
  ];
}
