import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from '../../shared/errors.ts';
import { forOthers } from '../../shared/private-files.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { type Finding, note, ok, problem } from '../finding.ts';
import { formatSize } from '../format-size.ts';

/** Checks the database file without opening it, because the service may be using it. */
export async function checkDatabase({ home }: Pick<DoctorContext, 'home'>): Promise<Finding[]> {
  const path = join(home, 'hob.db');
  const found = await lstat(path).catch((error: unknown) => {
    // checkHome reports a home that is missing, not a folder or not accessible.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return null;
    throw error;
  });
  // The first start creates it.
  if (found === null) return [];
  if (!found.isFile())
    return [
      problem(
        'home',
        {
          en: `${path} is not a regular file; links are not allowed here`,
          zh: `${path} 不是文件，此处也不跟随链接`,
        },
        {
          en: 'Remove it, or choose another home with --home.',
          zh: '请将其删除，或用 --home 指定其他数据目录。',
        },
      ),
    ];
  try {
    await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    return [
      problem(
        'home',
        {
          en: `The database ${path} is not writable (${errnoOf(error)})`,
          zh: `无法写入数据库 ${path}（${errnoOf(error)}）`,
        },
        {
          en: `Make yourself its owner with chown, then run: chmod 600 "${path}"`,
          zh: `请用 chown 改为自己所有，然后运行：chmod 600 "${path}"`,
        },
      ),
    ];
  }
  const isOpen = process.geteuid !== undefined && (found.mode & forOthers) !== 0;
  if (isOpen)
    return [
      note(
        'home',
        { en: `Other users can read the database ${path}`, zh: `其他用户可以查看数据库 ${path}` },
        { en: `Remove their access: chmod 600 "${path}"`, zh: `请收回权限：chmod 600 "${path}"` },
      ),
    ];
  const size = formatSize(found.size);
  return [ok('home', { en: `The database exists (${size})`, zh: `数据库正常（${size}）` })];
}
