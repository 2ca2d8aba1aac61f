import { satisfies } from 'semver';

import { fixedText, type Text } from '../../shared/text.ts';
import { readNodeRange, readVersion } from '../../shared/version.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { notChecked, note, ok, problem, type Result, type Results } from '../finding.ts';

/** Prints the folder name of the installed pip, without importing it. */
const findPip = `
import glob, os, site, sys
prefix = os.path.dirname(os.path.dirname(sys.executable))
own = os.path.exists(os.path.join(prefix, "pyvenv.cfg"))
folders = site.getsitepackages([prefix]) if own else site.getsitepackages() + [site.getusersitepackages()]
found = [path for folder in folders for path in glob.glob(os.path.join(folder, "pip-*-info"))]
print(os.path.basename(found[0]))
`;

interface Tool {
  readonly name: string;
  /** Message if the tool is missing. A tool without advice is optional. */
  readonly missing: Text;
  readonly advice: Text | null;
}

const tools: readonly Tool[] = [
  {
    name: 'uv',
    missing: {
      en: 'uv is not installed; Hob uses venv and pip instead',
      zh: '未安装 uv，由 venv 和 pip 代替',
    },
    advice: null,
  },
  {
    name: 'npm',
    missing: {
      en: 'npm is not installed, so Hob cannot build environments for scripts with a package.json',
      zh: '未安装 npm：无法为带有 package.json 的脚本准备运行环境',
    },
    advice: {
      en: 'Install Node.js with npm: https://nodejs.org/ (Debian, Ubuntu: apt install npm)',
      zh: '请安装带 npm 的 Node.js：https://nodejs.org/（Debian、Ubuntu：apt install npm）',
    },
  },
  {
    name: 'git',
    missing: {
      en: 'git is not installed, so Hob cannot install packages from git repositories',
      zh: '未安装 git：无法从 git 仓库安装脚本',
    },
    advice: {
      en: 'Install git: https://git-scm.com/downloads (Debian, Ubuntu: apt install git)',
      zh: '请安装 git：https://git-scm.com/downloads（Debian、Ubuntu：apt install git）',
    },
  },
];
export const timeoutMs = 4000;

/** Checks the tools, other than Python, that build environments and fetch packages. */
export async function checkTools(context: DoctorContext, signal: AbortSignal): Promise<Results> {
  const looked = await Promise.all(tools.map((tool) => checkTool(tool, context, signal)));
  const unchecked = looked.flatMap(({ foreign }) => foreign);
  const findings = looked.flatMap(({ finding }) => (finding === null ? [] : [finding]));
  return unchecked.length === 0 ? findings : [...findings, notChecked(unchecked)];
}

async function checkTool(
  { name, missing, advice }: Tool,
  { programs, platform }: DoctorContext,
  signal: AbortSignal,
): Promise<{ finding: Result | null; foreign: readonly string[] }> {
  const isBatchFile = platform === 'win32' && name === 'npm';
  const { path, foreign } = await programs.find(isBatchFile ? 'npm.cmd' : name);
  const answer = (finding: Result | null) => ({ finding, foreign });
  if (path === null) {
    if (foreign.length > 0) return answer(null);
    return answer(advice === null ? ok(missing) : note(missing, advice));
  }
  // Only a shell can start a batch file, so its existence is enough.
  if (isBatchFile) return answer(ok(fixedText(name)));
  const { ok: isWell, stdout, failure } = await programs.run(path, ['--version'], { timeoutMs, signal });
  const version = /\d+(?:\.\d+)+/.exec(stdout)?.[0];
  if (isWell && version !== undefined) return answer(ok(fixedText(`${name} ${version}`)));
  const what = {
    en: `${name} is installed, but does not report its version (${failure || 'no number'})`,
    zh: `${name} 存在，但无法得知其版本（${failure || '没有版本号'}）`,
  };
  const again = { en: `Reinstall ${name}, or remove it.`, zh: `请重新安装或删除 ${name}。` };
  return answer(note(what, advice ?? again));
}

/** Checks that Python has the modules that build environments. */
export async function checkPython(
  { finder, programs }: DoctorContext,
  signal: AbortSignal,
): Promise<Results> {
  const search = await finder.find('python', null);
  if (search.kind === 'none') return [];
  const { path } = search.interpreter;
  const run = (code: string) => programs.run(path, ['-I', '-S', '-c', code], { timeoutMs, signal });
  const [venv, pip] = await Promise.all([run('import venv'), run(findPip)]);
  const missing = [...(venv.ok ? [] : ['venv']), ...(pip.ok ? [] : ['pip'])];
  if (missing.length > 0)
    return note(
      {
        en: `The Python at ${path} has no ${missing.join(' and no ')}, so Hob cannot build environments for scripts`,
        zh: `${path} 处的 Python 缺少 ${missing.join(' 和 ')}，而创建脚本的运行环境需要它`,
      },
      {
        en: `Install ${missing.length > 1 ? 'them' : 'it'} (Debian, Ubuntu: apt install python3-venv python3-pip), or install uv.`,
        zh: '请安装（Debian、Ubuntu：apt install python3-venv python3-pip），或安装 uv。',
      },
    );
  const version = /^pip-([\d.]+\d)/.exec(pip.stdout)?.[1] ?? '';
  return ok({ en: `pip ${version} and venv (${path})`, zh: `pip ${version} 和 venv（${path}）` });
}

/** Checks that Hob supports the Node.js that runs this command. */
export async function checkVersions(): Promise<Results> {
  const [version, range] = [process.versions.node, readNodeRange()];
  const hob = ok(fixedText(`Hob ${readVersion()}`));
  const node = {
    en: `Node.js ${version} (${process.execPath})`,
    zh: `Node.js ${version}（${process.execPath}）`,
  };
  if (satisfies(version, range)) return [hob, ok(node)];
  return [
    hob,
    problem(
      {
        en: `${node.en} is not supported: Hob needs ${range}`,
        zh: `${node.zh}不符合 Hob 的要求（${range}）`,
      },
      {
        en: 'Install a supported Node.js: https://nodejs.org/',
        zh: '请安装较新的 Node.js：https://nodejs.org/',
      },
    ),
  ];
}
