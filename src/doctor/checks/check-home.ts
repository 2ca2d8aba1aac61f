import type { Stats } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';

import { faultOf, warningOf } from '../../settings/prepare-home.ts';
import { errnoOf } from '../../shared/errors.ts';
import { type Finding, note, ok, problem } from '../finding.ts';
import type { Patient } from '../patient.ts';

/** Numbers by which Linux knows file systems whose files lie on another machine. */
const networkDisks = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
]);

/** Whether the home is there, is its user's own, and can be written to. */
export async function checkHome({ home, platform }: Pick<Patient, 'home' | 'platform'>): Promise<Finding[]> {
  let found: Stats;
  try {
    found = await stat(home);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT') return [ok('home', `${home} is not there yet; the first start makes it`)];
    return [problem('home', `${home} cannot be looked at (${errno})`, 'Choose another home with --home.')];
  }
  if (!found.isDirectory())
    return [problem('home', `${home} is not a folder`, 'Move it away, or choose another home with --home.')];
  const fault = faultOf(home, found);
  if (fault !== null) return [split('problem', fault)];
  try {
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const next = `Make it yours (chown, chmod 700 "${home}"), or choose another home with --home.`;
    return [problem('home', `${home} cannot be written to (${errnoOf(error)})`, next)];
  }
  const warning = warningOf(home, found);
  const findings = [warning === null ? ok('home', `${home} is yours alone`) : split('note', warning)];
  const network = platform === 'linux' ? networkDisks.get((await statfs(home)).type) : undefined;
  if (network !== undefined)
    findings.push(
      note(
        'home',
        `${home} lies on a network disk (${network}), where locks of the database may fail`,
        'Choose a home on a disk of this machine with --home.',
      ),
    );
  return findings;
}

/** Sentences of others about the home: what is wrong, and behind it what to do. */
function split(state: 'problem' | 'note', text: string): Finding {
  const at = Math.max(text.lastIndexOf('. '), text.lastIndexOf('; '));
  const [what, next] = at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 2)];
  const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return { area: 'home', state, what: capital(what), next: next === null ? null : capital(next) };
}
