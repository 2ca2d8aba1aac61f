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
        {
          en: `The Python at ${path} has no ${missing.join(' and no ')}, which environments of scripts are made with`,
          zh: `${path} 处的 Python 缺少 ${missing.join(' 和 ')}，而创建脚本的运行环境需要它`,
        },
        {
          en: `Install ${missing.length > 1 ? 'them' : 'it'} (Debian, Ubuntu: apt install python3-venv python3-pip), or install uv.`,
          zh: '请安装（Debian、Ubuntu：apt install python3-venv python3-pip），或安装 uv。',
        },
      ),
    ];
  const version = /^pip (\S+)/.exec(pip.stdout)?.[1] ?? '';
  return [ok('tools', { en: `pip ${version} and venv (${path})`, zh: `pip ${version} 和 venv（${path}）` })];
}
