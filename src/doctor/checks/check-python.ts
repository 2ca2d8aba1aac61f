import type { DoctorContext } from '../doctor-context.ts';
import { type Finding, note, ok } from '../finding.ts';

const timeoutMs = 4000;

/** Prints the folder name of the installed pip, without importing it. */
const findPip = `
import glob, os, site, sys
prefix = os.path.dirname(os.path.dirname(sys.executable))
own = os.path.exists(os.path.join(prefix, "pyvenv.cfg"))
folders = site.getsitepackages([prefix]) if own else site.getsitepackages() + [site.getusersitepackages()]
found = [path for folder in folders for path in glob.glob(os.path.join(folder, "pip-*-info"))]
print(os.path.basename(found[0]))
`;

/** Checks that Python has the modules that build environments. */
export async function checkPython(
  { finder, programs }: DoctorContext,
  signal: AbortSignal,
): Promise<Finding[]> {
  const search = await finder.find('python', null);
  if (search.kind === 'none') return [];
  const { path } = search.interpreter;
  const run = (code: string) => programs.run(path, ['-I', '-S', '-c', code], { timeoutMs, signal });
  const [venv, pip] = await Promise.all([run('import venv'), run(findPip)]);
  const missing = [...(venv.ok ? [] : ['venv']), ...(pip.ok ? [] : ['pip'])];
  if (missing.length > 0)
    return [
      note(
        'tools',
        {
          en: `The Python at ${path} has no ${missing.join(' and no ')}, so Hob cannot build environments for scripts`,
          zh: `${path} 处的 Python 缺少 ${missing.join(' 和 ')}，而创建脚本的运行环境需要它`,
        },
        {
          en: `Install ${missing.length > 1 ? 'them' : 'it'} (Debian, Ubuntu: apt install python3-venv python3-pip), or install uv.`,
          zh: '请安装（Debian、Ubuntu：apt install python3-venv python3-pip），或安装 uv。',
        },
      ),
    ];
  const version = /^pip-([\d.]+\d)/.exec(pip.stdout)?.[1] ?? '';
  return [ok('tools', { en: `pip ${version} and venv (${path})`, zh: `pip ${version} 和 venv（${path}）` })];
}
