import { fixedText, type Text } from '../../shared/text.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { type Finding, notChecked, note, ok } from '../finding.ts';

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
const timeoutMs = 4000;

/** Checks the tools, other than Python, that build environments and fetch packages. */
export async function checkTools(context: DoctorContext, signal: AbortSignal): Promise<Finding[]> {
  const looked = await Promise.all(tools.map((tool) => checkTool(tool, context, signal)));
  const unchecked = looked.flatMap(({ foreign }) => foreign);
  const findings = looked.flatMap(({ finding }) => (finding === null ? [] : [finding]));
  return unchecked.length === 0 ? findings : [...findings, notChecked('tools', unchecked)];
}

async function checkTool(
  { name, missing, advice }: Tool,
  { programs, platform }: DoctorContext,
  signal: AbortSignal,
): Promise<{ finding: Finding | null; foreign: readonly string[] }> {
  const isBatchFile = platform === 'win32' && name === 'npm';
  const { path, foreign } = await programs.find(isBatchFile ? 'npm.cmd' : name);
  const answer = (finding: Finding | null) => ({ finding, foreign });
  if (path === null) {
    if (foreign.length > 0) return answer(null);
    return answer(advice === null ? ok('tools', missing) : note('tools', missing, advice));
  }
  // Only a shell can start a batch file, so its existence is enough.
  if (isBatchFile) return answer(ok('tools', fixedText(name)));
  const { ok: isWell, stdout, failure } = await programs.run(path, ['--version'], { timeoutMs, signal });
  const version = /\d+(?:\.\d+)+/.exec(stdout)?.[0];
  if (isWell && version !== undefined) return answer(ok('tools', fixedText(`${name} ${version}`)));
  const what = {
    en: `${name} is installed, but does not report its version (${failure || 'no number'})`,
    zh: `${name} 存在，但无法得知其版本（${failure || '没有版本号'}）`,
  };
  const again = { en: `Reinstall ${name}, or remove it.`, zh: `请重新安装或删除 ${name}。` };
  return answer(note('tools', what, advice ?? again));
}
