import { runCommand } from '../../shared/run-command.ts';
import { type Finding, note, ok } from '../finding.ts';
import type { Patient } from '../patient.ts';

const timeoutMs = 4000;

/** Whether Python brings what environments are made with. */
export async function checkPython({ finder, environment }: Patient, signal: AbortSignal): Promise<Finding[]> {
  const search = await finder.find('python', null);
  if (search.kind === 'none') return [];
  const { path } = search.interpreter;
  const run = (...args: string[]) => runCommand(path, args, { env: { ...environment }, timeoutMs, signal });
  const [venv, pip] = await Promise.all([run('-c', 'import venv'), run('-m', 'pip', '--version')]);
  const missing = [...(venv.ok ? [] : ['venv']), ...(pip.ok ? [] : ['pip'])];
  if (missing.length > 0)
    return [
      note(
        'tools',
        `The Python at ${path} has no ${missing.join(' and no ')}, which environments of scripts are made with`,
        `Install ${missing.length > 1 ? 'them' : 'it'} (Debian, Ubuntu: apt install python3-venv python3-pip), or install uv.`,
      ),
    ];
  return [ok('tools', `pip ${/^pip (\S+)/.exec(pip.stdout)?.[1] ?? ''} and venv (${path})`)];
}
