import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import type { ScriptDetail } from '../../contract/types.ts';
import { tr } from '../language.ts';
import { formatCount } from '../terminal/text.ts';
import { userError } from '../user-error.ts';
import type { Selection } from './start-from-desktop.ts';

/** Files that are checked at the same time. */
const atOnce = 64;

/** The selected files and folders that the script accepts. File managers differ in what they can check themselves. */
export async function selectPaths(script: ScriptDetail, given: readonly string[]): Promise<Selection> {
  const { context_menu: menu, input } = script;
  if (menu === null)
    throw userError(
      'This script no longer offers a menu entry. To update the menus: hob menus install',
      '此脚本不再提供菜单条目。更新菜单：hob menus install',
    );
  if (given.length === 0) throw userError('Nothing is selected.', '没有选中任何内容。');
  const accepted: string[] = [];
  let unreadable = 0;
  for (let at = 0; at < given.length; at += atOnce) {
    const part = given.slice(at, at + atOnce).map((item) => examinePath(item, menu));
    for (const { path, isReadable } of await Promise.all(part)) {
      if (path !== null) accepted.push(path);
      if (!isReadable) unreadable++;
    }
  }
  if (accepted.length === 0) throw unreadable === given.length ? namesUnreadable() : nothingFits(menu);
  if (input?.type === 'str' && accepted.length > 1)
    throw userError(
      'This script takes a single file or folder. Select one of them.',
      '此脚本只接受一个文件或文件夹，请只选中一个。',
    );
  const refused = given.length - accepted.length - unreadable;
  const remarks = [
    ...(refused === 0
      ? []
      : [
          tr(
            `${formatCount(refused, 'selected item')} left out: the script does not accept ${refused === 1 ? 'it' : 'them'}.`,
            `已忽略 ${refused} 个选中的项目：脚本不接受。`,
          ),
        ]),
    ...(unreadable === 0
      ? []
      : [
          tr(
            `${formatCount(unreadable, 'selected item')} left out: the path is not UTF-8. Rename ${unreadable === 1 ? 'it' : 'them'}.`,
            `已忽略 ${unreadable} 个选中的项目：路径不是 UTF-8 编码，请重命名。`,
          ),
        ]),
  ];
  return { paths: accepted, remark: remarks.length === 0 ? null : remarks.join('\n') };
}

type Menu = NonNullable<ScriptDetail['context_menu']>;

interface Examined {
  /** The path if the script accepts it, otherwise null. */
  readonly path: string | null;
  /** Whether the path is UTF-8. JSON cannot contain another one. */
  readonly isReadable: boolean;
}

async function examinePath(given: string, { targets, filters }: Menu): Promise<Examined> {
  const path = localPath(given);
  const found = path === null ? null : await stat(path).catch(() => null);
  const refused = { path: null, isReadable: true };
  if (path === null || found === null) return { path: null, isReadable: isUtf8(given) };
  if (found.isDirectory())
    return targets.some((target) => target !== 'files') ? { ...refused, path } : refused;
  const name = path.toLowerCase();
  const fits = filters.length === 0 || filters.some((filter) => name.endsWith(filter));
  return targets.includes('files') && fits ? { ...refused, path } : refused;
}

/** The path of a file on this machine; null for other places. */
function localPath(given: string): string | null {
  if (given.startsWith('/') || process.platform === 'win32') return given;
  try {
    return fileURLToPath(given);
  } catch {
    return null;
  }
}

/** Node replaces bytes of an argument that are not UTF-8. An URI contains them as they are. */
function isUtf8(given: string): boolean {
  if (!given.startsWith('file:')) return !given.includes('\ufffd');
  try {
    return !decodeURIComponent(given).includes('\ufffd');
  } catch {
    return false;
  }
}

function namesUnreadable(): Error {
  return userError(
    'The paths of the selected items are not UTF-8. Rename the items, then try again.',
    '选中项目的路径不是 UTF-8 编码，请重命名后重试。',
  );
}

function nothingFits({ targets, filters }: Menu): Error {
  const onFiles = targets.includes('files');
  const onFolders = targets.some((target) => target !== 'files');
  const list = filters.join(tr(', ', '、'));
  const files = filters.length === 0 ? tr('files', '文件') : tr(`${list} files`, `${list} 文件`);
  const english = [...(onFiles ? [files] : []), ...(onFolders ? ['folders'] : [])].join(' and ');
  const chinese = [...(onFiles ? [files] : []), ...(onFolders ? ['文件夹'] : [])].join('和');
  return userError(
    `This script works on ${english} on this computer. Nothing of that kind is selected.`,
    `此脚本只处理这台电脑上的${chinese}，选中的内容都不是。`,
  );
}
