import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

import { errnoOf } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { type Finding, note, ok, problem } from '../finding.ts';
import { formatSize } from '../format-size.ts';

const mebibyte = 1024 * 1024;
const fewBytes = 1024 * mebibyte;
const tooFewBytes = 100 * mebibyte;
const makeRoom: Text = {
  en: 'Free some space on that disk, or choose a home on another disk with --home.',
  zh: '请清理该磁盘，或用 --home 将数据目录放到其他磁盘上。',
};

/** Checks the free space for runs, models and environments. */
export async function checkDisk({ home }: Pick<DoctorContext, 'home'>): Promise<Finding[]> {
  const disk = await diskOf(home);
  if (disk === null) return [];
  return [
    judgeSpace({ freeBytes: disk.bavail * disk.bsize, freeFiles: disk.files > 0 ? disk.ffree : null }, home),
  ];
}

/** A separate function, so that tests need no full disk. */
export function judgeSpace(
  { freeBytes, freeFiles }: { freeBytes: number; freeFiles: number | null },
  home: string,
): Finding {
  if (freeFiles === 0) {
    const what = {
      en: `The disk of ${home} has no free inodes, so no file can be created`,
      zh: `${home} 所在的磁盘已无法再创建任何文件`,
    };
    return problem('home', what, makeRoom);
  }
  const free = `${formatSize(freeBytes)} free on the disk of ${home}`;
  const freeZh = (only: string) => `${home} 所在的磁盘${only}剩余 ${formatSize(freeBytes)}`;
  if (freeBytes >= fewBytes) return ok('home', { en: free, zh: freeZh('') });
  const what = { en: `Only ${free}`, zh: freeZh('仅') };
  return freeBytes < tooFewBytes ? problem('home', what, makeRoom) : note('home', what, makeRoom);
}

/** The disk of the home, or of its nearest existing parent folder. */
async function diskOf(path: string): Promise<StatsFs | null> {
  try {
    return await statfs(path);
  } catch (error) {
    const parent = dirname(path);
    const isAbsent = errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR';
    return isAbsent && parent !== path ? diskOf(parent) : null;
  }
}
