import { join } from 'node:path';

import type { DesktopSession } from '../../settings/desktop-session.ts';
import { execValue, keyFileList, keyFileValue } from './key-file.ts';
import { type EntryFile, type Launch, type MenuScript, markOf, menuRunWords } from './menu-script.ts';

/** The service menus of Dolphin. It selects by type of file, and not by extension. */
export function dolphinFiles(script: MenuScript, launch: Launch, { dataHome }: DesktopSession): EntryFile[] {
  const { id, slug, label, icon, takesOne, menu } = script;
  if (menu === null) return [];
  const types = [
    ...(menu.targets.includes('files') ? ['application/octet-stream'] : []),
    ...(menu.targets.some((target) => target !== 'files') ? ['inode/directory'] : []),
  ];
  const lines = [
    '[Desktop Entry]',
    markOf(launch, id),
    'Type=Service',
    `MimeType=${keyFileList(types)}`,
    'Actions=run',
    ...(takesOne ? ['X-KDE-MaxNumberOfUrls=1'] : []),
    '',
    '[Desktop Action run]',
    `Name=${keyFileValue(label)}`,
    ...(icon === null ? [] : [`Icon=${keyFileValue(icon)}`]),
    `Exec=${execValue(menuRunWords(launch, id), '%F')}`,
  ];
  const path = join(dataHome, 'kio', 'servicemenus', `hob-${slug}.desktop`);
  // KDE runs service menus of the user only if their files are executable.
  return [{ path, text: `${lines.join('\n')}\n`, isProgram: true }];
}
