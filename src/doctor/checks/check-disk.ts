import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

import { errnoOf } from '../../shared/errors.ts';
import { type Finding, note, ok, problem } from '../finding.ts';
import { formatSize } from '../format-size.ts';
import type { Patient } from '../patient.ts';

const mebibyte = 1024 * 1024;
const fewBytes = 1024 * mebibyte;
const tooFewBytes = 100 * mebibyte;

/** How much room there is for runs, models and environments. */
export async function checkDisk({ home }: Pick<Patient, 'home'>): Promise<Finding[]> {
  const disk = await diskOf(home);
  if (disk === null) return [];
  return [
    judgeSpace({ freeBytes: disk.bavail * disk.bsize, freeFiles: disk.files > 0 ? disk.ffree : null }, home),
  ];
}

/** Apart, since nobody fills a disk to try it. */
export function judgeSpace(
  { freeBytes, freeFiles }: { freeBytes: number; freeFiles: number | null },
  home: string,
): Finding {
  const makeRoom = 'Make room on that disk, or choose a home on another one with --home.';
  if (freeFiles === 0)
    return problem('home', `The disk of ${home} has no room for another file, however small`, makeRoom);
  const free = `${formatSize(freeBytes)} are free on the disk of ${home}`;
  if (freeBytes < tooFewBytes) return problem('home', `Only ${free}`, makeRoom);
  return freeBytes < fewBytes ? note('home', `Only ${free}`, makeRoom) : ok('home', free);
}

/** The disk that the home is on, or will be made on. */
async function diskOf(path: string): Promise<StatsFs | null> {
  try {
    return await statfs(path);
  } catch (error) {
    const parent = dirname(path);
    const isAbsent = errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR';
    return isAbsent && parent !== path ? diskOf(parent) : null;
  }
}
