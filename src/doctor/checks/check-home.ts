import type { Stats, StatsFs } from 'node:fs';
import { access, constants, lstat, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { formatBytes } from '../../contract/quantities.ts';
import { faultOf, warningOf } from '../../settings/prepare-home.ts';
import { errnoOf } from '../../shared/errors.ts';
import { forOthers } from '../../shared/private-files.ts';
import { serviceFile } from '../../shared/service-file.ts';
import type { Text } from '../../shared/text.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { note, ok, problem, type Result, type Results, splitAdvice } from '../finding.ts';

const mebibyte = 1024 * 1024;
const fewBytes = 1024 * mebibyte;
const tooFewBytes = 100 * mebibyte;

const makeRoom: Text = {
  en: 'Free some space on that disk, or choose a home on another disk with --home.',
  zh: '请清理该磁盘，或用 --home 将数据目录放到其他磁盘上。',
};

/** Linux type numbers of network file systems. */
const networkDisks = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
]);

/** Checks that the home exists, belongs to the user and is writable. */
export async function checkHome({
  home,
  platform,
}: Pick<DoctorContext, 'home' | 'platform'>): Promise<Results> {
  let found: Stats;
  try {
    found = await stat(home);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT')
      return ok({
        en: `${home} does not exist yet; the first start creates it`,
        zh: `${home} 尚不存在，首次启动时会创建`,
      });
    return problem(
      { en: `${home} cannot be accessed (${errno})`, zh: `无法查看 ${home}（${errno}）` },
      { en: 'Choose another home with --home.', zh: '请用 --home 指定其他数据目录。' },
    );
  }
  if (!found.isDirectory())
    return problem(
      { en: `${home} is not a folder`, zh: `${home} 不是文件夹` },
      {
        en: 'Rename it, or choose another home with --home.',
        zh: '请将其移走，或用 --home 指定其他数据目录。',
      },
    );
  const fault = faultOf(home, found);
  if (fault !== null) return split('problem', fault);
  try {
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const errno = errnoOf(error);
    return problem(
      { en: `${home} is not writable (${errno})`, zh: `无法写入 ${home}（${errno}）` },
      {
        en: `Make yourself its owner (chown, then chmod 700 "${home}"), or choose another home with --home.`,
        zh: `请改为自己所有（chown，chmod 700 "${home}"），或用 --home 指定其他数据目录。`,
      },
    );
  }
  const warning = warningOf(home, found);
  const alone = ok({ en: `Only you have access to ${home}`, zh: `${home} 只有自己可以访问` });
  const findings = [warning === null ? alone : split('note', warning)];
  const network = platform === 'linux' ? networkDisks.get((await statfs(home)).type) : undefined;
  if (network !== undefined)
    findings.push(
      note(
        {
          en: `${home} is on a network disk (${network}), where database locks may fail`,
          zh: `${home} 位于网络磁盘（${network}）上，数据库的锁可能失效`,
        },
        { en: 'Choose a home on a local disk with --home.', zh: '请用 --home 将数据目录放到本机磁盘上。' },
      ),
    );
  return findings;
}

/** Splits a message about the home into the problem and the next step. */
function split(state: 'problem' | 'note', text: Text): Result {
  const [, what, next] = /^(.*)[.;] (.*)$/s.exec(text.en) ?? [];
  const [, whatZh, nextZh] = /^(.*)[。；](.+)$/s.exec(text.zh) ?? [];
  if (what === undefined || next === undefined || whatZh === undefined || nextZh === undefined)
    return { state, what: text, next: null };
  const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return {
    state,
    what: { en: capital(what), zh: whatZh },
    next: { en: capital(next), zh: nextZh },
  };
}

/** Checks the free space for runs, models and environments. */
export async function checkDisk({ home }: Pick<DoctorContext, 'home'>): Promise<Results> {
  const disk = await diskOf(home);
  if (disk === null) return [];
  return judgeSpace(
    { freeBytes: disk.bavail * disk.bsize, freeFiles: disk.files > 0 ? disk.ffree : null },
    home,
  );
}

/** A separate function, so that tests need no full disk. */
export function judgeSpace(
  { freeBytes, freeFiles }: { freeBytes: number; freeFiles: number | null },
  home: string,
): Result {
  if (freeFiles === 0) {
    const what = {
      en: `The disk of ${home} has no free inodes, so no file can be created`,
      zh: `${home} 所在的磁盘已无法再创建任何文件`,
    };
    return problem(what, makeRoom);
  }
  const free = `${formatBytes(freeBytes)} free on the disk of ${home}`;
  const freeZh = (only: string) => `${home} 所在的磁盘${only}剩余 ${formatBytes(freeBytes)}`;
  if (freeBytes >= fewBytes) return ok({ en: free, zh: freeZh('') });
  const what = { en: `Only ${free}`, zh: freeZh('仅') };
  return freeBytes < tooFewBytes ? problem(what, makeRoom) : note(what, makeRoom);
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

/** Checks the database file without opening it, because the service may be using it. */
export async function checkDatabase({ home }: Pick<DoctorContext, 'home'>): Promise<Results> {
  const path = join(home, 'hob.db');
  const found = await lstat(path).catch((error: unknown) => {
    // checkHome reports a home that is missing, not a folder or not accessible.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return null;
    throw error;
  });
  // The first start creates it.
  if (found === null) return [];
  if (!found.isFile())
    return problem(
      {
        en: `${path} is not a regular file; links are not allowed here`,
        zh: `${path} 不是文件，此处也不跟随链接`,
      },
      {
        en: 'Remove it, or choose another home with --home.',
        zh: '请将其删除，或用 --home 指定其他数据目录。',
      },
    );
  try {
    await access(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    return problem(
      {
        en: `The database ${path} is not writable (${errnoOf(error)})`,
        zh: `无法写入数据库 ${path}（${errnoOf(error)}）`,
      },
      {
        en: `Make yourself its owner with chown, then run: chmod 600 "${path}"`,
        zh: `请用 chown 改为自己所有，然后运行：chmod 600 "${path}"`,
      },
    );
  }
  const isOpen = process.geteuid !== undefined && (found.mode & forOthers) !== 0;
  if (isOpen)
    return note(
      { en: `Other users can read the database ${path}`, zh: `其他用户可以查看数据库 ${path}` },
      { en: `Remove their access: chmod 600 "${path}"`, zh: `请收回权限：chmod 600 "${path}"` },
    );
  const size = formatBytes(found.size);
  return ok({ en: `The database exists (${size})`, zh: `数据库正常（${size}）` });
}

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
    return settingsNotes.map((text) => {
      const { what, next } = splitAdvice(text);
      return note(what, next);
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
