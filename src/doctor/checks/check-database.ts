import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from '../../shared/errors.ts';
import { forOthers } from '../../shared/private-files.ts';
import { type Finding, note, ok, problem } from '../finding.ts';
import { formatSize } from '../format-size.ts';
import type { Patient } from '../patient.ts';

/** Whether the database can be used, as far as can be told without opening it: the service may be at work in it. */
export async function checkDatabase({ home }: Pick<Patient, 'home'>): Promise<Finding[]> {
  const path = join(home, 'hob.db');
  const found = await lstat(path).catch((error: unknown) => {
    // A home that is not there, is none or is not ours to look into is another check's to tell of.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return null;
    throw error;
  });
  // The first start makes it.
  if (found === null) return [];
  if (!found.isFile())
    return [
      problem(
        'home',
        `${path} is not a file, and links are not followed there`,
        'Remove it, or choose another home with --home.',
      ),
    ];
  try {
    await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    return [
      problem(
        'home',
        `The database ${path} cannot be written to (${errnoOf(error)})`,
        `Make it yours: chown, then chmod 600 "${path}"`,
      ),
    ];
  }
  const isOpen = process.geteuid !== undefined && (found.mode & forOthers) !== 0;
  if (isOpen)
    return [note('home', `Others may look into the database ${path}`, `Close it: chmod 600 "${path}"`)];
  return [ok('home', `The database is there (${formatSize(found.size)})`)];
}
