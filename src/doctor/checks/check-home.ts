import type { Stats } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';

import { faultOf, warningOf } from '../../settings/prepare-home.ts';
import { errnoOf } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { type Finding, note, ok, problem } from '../finding.ts';

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
}: Pick<DoctorContext, 'home' | 'platform'>): Promise<Finding[]> {
  let found: Stats;
  try {
    found = await stat(home);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT')
      return [
        ok('home', {
          en: `${home} does not exist yet; the first start creates it`,
          zh: `${home} 尚不存在，首次启动时会创建`,
        }),
      ];
    return [
      problem(
        'home',
        { en: `${home} cannot be accessed (${errno})`, zh: `无法查看 ${home}（${errno}）` },
        { en: 'Choose another home with --home.', zh: '请用 --home 指定其他数据目录。' },
      ),
    ];
  }
  if (!found.isDirectory())
    return [
      problem(
        'home',
        { en: `${home} is not a folder`, zh: `${home} 不是文件夹` },
        {
          en: 'Rename it, or choose another home with --home.',
          zh: '请将其移走，或用 --home 指定其他数据目录。',
        },
      ),
    ];
  const fault = faultOf(home, found);
  if (fault !== null) return [split('problem', fault)];
  try {
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const errno = errnoOf(error);
    return [
      problem(
        'home',
        { en: `${home} is not writable (${errno})`, zh: `无法写入 ${home}（${errno}）` },
        {
          en: `Make yourself its owner (chown, then chmod 700 "${home}"), or choose another home with --home.`,
          zh: `请改为自己所有（chown，chmod 700 "${home}"），或用 --home 指定其他数据目录。`,
        },
      ),
    ];
  }
  const warning = warningOf(home, found);
  const alone = ok('home', { en: `Only you have access to ${home}`, zh: `${home} 只有自己可以访问` });
  const findings = [warning === null ? alone : split('note', warning)];
  const network = platform === 'linux' ? networkDisks.get((await statfs(home)).type) : undefined;
  if (network !== undefined)
    findings.push(
      note(
        'home',
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
function split(state: 'problem' | 'note', text: Text): Finding {
  const [, what, next] = /^(.*)[.;] (.*)$/s.exec(text.en) ?? [];
  const [, whatZh, nextZh] = /^(.*)[。；](.+)$/s.exec(text.zh) ?? [];
  if (what === undefined || next === undefined || whatZh === undefined || nextZh === undefined)
    return { area: 'home', state, what: text, next: null };
  const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return {
    area: 'home',
    state,
    what: { en: capital(what), zh: whatZh },
    next: { en: capital(next), zh: nextZh },
  };
}
