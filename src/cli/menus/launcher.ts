import { join } from 'node:path';

import type { DesktopSession } from '../../settings/desktop-session.ts';
import { execValue, keyFileValue } from './key-file.ts';
import { type EntryFile, type Launch, type MenuScript, markOf, shortcutRunWords } from './menu-script.ts';
import { entryComment } from './words.ts';

/** The launcher of a script with a shortcut: the desktop finds it by its name, and the user can bind a key to it. */
export function launcherFiles(script: MenuScript, launch: Launch, { dataHome }: DesktopSession): EntryFile[] {
  const { id, slug, label, description, icon, shortcut } = script;
  if (shortcut === null) return [];
  const comment = entryComment(description);
  const lines = [
    '[Desktop Entry]',
    markOf(launch, id),
    'Type=Application',
    `Name=${keyFileValue(label)}`,
    `Comment=${keyFileValue(comment.en)}`,
    `Comment[zh_CN]=${keyFileValue(comment.zh)}`,
    ...(icon === null ? [] : [`Icon=${keyFileValue(icon)}`]),
    `Exec=${execValue(shortcutRunWords(launch, id))}`,
    'Terminal=false',
    'Categories=Utility;',
  ];
  return [
    {
      path: join(dataHome, 'applications', `hob-${slug}.desktop`),
      text: `${lines.join('\n')}\n`,
      isProgram: false,
    },
  ];
}
