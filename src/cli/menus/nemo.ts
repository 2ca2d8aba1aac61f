import { join } from 'node:path';

import type { DesktopSession } from '../../settings/desktop-session.ts';
import { shellWord } from '../command-lines.ts';
import { keyFileList, keyFileValue } from './key-file.ts';
import { type EntryFile, type Launch, type MenuScript, markOf, menuRunWords } from './menu-script.ts';
import { entryComment } from './words.ts';

/** The actions of Nemo: one for files and folders, and one for the empty space of a folder. */
export function nemoFiles(script: MenuScript, launch: Launch, { dataHome }: DesktopSession): EntryFile[] {
  const { slug, takesOne, menu } = script;
  if (menu === null) return [];
  const folder = join(dataHome, 'nemo', 'actions');
  const on = menu.targets;
  const files: EntryFile[] = [];
  const add = (suffix: string, selection: string, extensions: readonly string[]) =>
    files.push({
      path: join(folder, `hob-${slug}${suffix}.nemo_action`),
      text: nemoAction(script, launch, { selection, extensions }),
      isProgram: false,
    });
  const extensions = nemoExtensions(menu);
  if (extensions !== null) add('', takesOne ? 's' : 'notnone', extensions);
  if (on.includes('background')) add('-here', 'none', ['any']);
  return files;
}

/** `nodirs`, `dir` and `any` are words of Nemo. It compares the ends of names without case. Null: nothing that can be selected. */
function nemoExtensions({ targets, filters }: NonNullable<MenuScript['menu']>): string[] | null {
  const [onFiles, onFolders] = [targets.includes('files'), targets.includes('directory')];
  if (onFiles && filters.length > 0) return onFolders ? [...filters, 'dir'] : [...filters];
  if (onFiles) return [onFolders ? 'any' : 'nodirs'];
  return onFolders ? ['dir'] : null;
}

function nemoAction(
  { id, label, description, icon }: MenuScript,
  launch: Launch,
  { selection, extensions }: { selection: string; extensions: readonly string[] },
): string {
  const comment = entryComment(description);
  const lines = [
    '[Nemo Action]',
    markOf(launch, id),
    // An underscore marks the letter that activates an entry.
    `Name=${keyFileValue(withoutTokens(label).replaceAll('_', '__'))}`,
    `Comment=${keyFileValue(withoutTokens(comment.en))}`,
    `Comment[zh_CN]=${keyFileValue(withoutTokens(comment.zh))}`,
    ...(icon === null ? [] : [`Icon-Name=${keyFileValue(icon)}`]),
    // URIs, because older versions pass paths with special characters wrongly.
    `Exec=${keyFileValue(`${menuRunWords(launch, id).map(nemoWord).join(' ')} %U`)}`,
    'Quote=double',
    `Selection=${selection}`,
    `Extensions=${keyFileList(extensions)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function nemoWord(text: string): string {
  return withoutTokens(shellWord(text));
}

/** Nemo replaces tokens such as %f in names and commands. */
function withoutTokens(text: string): string {
  return text.replaceAll('%', '%%');
}
