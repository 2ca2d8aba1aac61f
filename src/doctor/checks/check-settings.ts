import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { serviceFile } from '../../shared/service-file.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { note, ok, problem, type Results, splitAdvice } from '../finding.ts';

/** Checks the settings. Each problem names the place to correct it. */
export async function checkSettings({
  home,
  settingsProblems,
  settingsNotes,
  service,
}: DoctorContext): Promise<Results> {
  if (settingsProblems.length > 0)
    return settingsProblems.map((what) =>
      problem(what, {
        en: 'Correct or remove it; otherwise Hob does not start. docs/settings.md lists every setting.',
        zh: '请更正或删除，否则 Hob 无法启动；所有设置见 docs/settings.md。',
      }),
    );
  if (settingsNotes.length > 0)
    return settingsNotes.map((what) => {
      const told = splitAdvice(what);
      return note(told.what, told.next);
    });
  const path = join(home, 'settings.toml');
  const changedMs = await changeOf(path);
  // The service writes its file right after it has read the settings.
  const startedMs = service === null ? null : await changeOf(join(home, serviceFile));
  if (changedMs !== null && startedMs !== null && changedMs > startedMs)
    return note(
      {
        en: `${path} was changed after Hob started, so the changes are not in effect`,
        zh: `${path} 在 Hob 启动之后被修改过，新的内容尚未生效`,
      },
      { en: 'Restart Hob: hob stop, then hob start', zh: '请重新启动：先 hob stop，再 hob start' },
    );
  return changedMs !== null
    ? ok({ en: `${path} is valid`, zh: `${path} 有效` })
    : ok({
        en: 'No settings.toml: the defaults are in effect',
        zh: '使用默认设置，没有 settings.toml',
      });
}

async function changeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
}
