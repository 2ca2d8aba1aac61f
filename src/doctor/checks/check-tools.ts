import { isOnPath } from '../../scripts/runtimes/find-interpreter.ts';
import { runCommand } from '../../shared/run-command.ts';
import { fixedText, type Text } from '../../shared/text.ts';
import { type Finding, note, ok } from '../finding.ts';
import type { Patient } from '../patient.ts';

interface Tool {
  readonly name: string;
  /** What is said where it is missing; without advice nothing is lost. */
  readonly missing: Text;
  readonly advice: Text | null;
}

const tools: readonly Tool[] = [
  {
    name: 'uv',
    missing: {
      en: 'uv is not installed; venv and pip do its work',
      zh: '未安装 uv，由 venv 和 pip 代替',
    },
    advice: null,
  },
  {
    name: 'npm',
    missing: {
      en: 'npm is not installed: scripts with a package.json get no environment',
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
      en: 'git is not installed: nothing can be installed from git repositories',
      zh: '未安装 git：无法从 git 仓库安装脚本',
    },
    advice: {
      en: 'Install git: https://git-scm.com/downloads (Debian, Ubuntu: apt install git)',
      zh: '请安装 git：https://git-scm.com/downloads（Debian、Ubuntu：apt install git）',
    },
  },
];
const timeoutMs = 4000;

/** What environments are made with and packages are fetched with, beside Python. */
export async function checkTools(
  { environment, platform }: Patient,
  signal: AbortSignal,
): Promise<Finding[]> {
  return Promise.all(
    tools.map(async ({ name, missing, advice }): Promise<Finding> => {
      // What has no .exe on Windows is a batch file, which only a shell starts: that it is there says enough.
      const file = platform === 'win32' && name === 'npm' ? 'npm.cmd' : name;
      const isThere = platform === 'win32' || (await isOnPath(file, environment));
      if (!isThere) return advice === null ? ok('tools', missing) : note('tools', missing, advice);
      if (file.endsWith('.cmd')) return ok('tools', fixedText(name));
      const {
        ok: isWell,
        stdout,
        failure,
      } = await runCommand(file, ['--version'], { env: { ...environment }, timeoutMs, signal });
      const version = /\d+(?:\.\d+)+/.exec(stdout)?.[0];
      if (isWell && version !== undefined) return ok('tools', fixedText(`${name} ${version}`));
      if (failure === 'ENOENT')
        return advice === null ? ok('tools', missing) : note('tools', missing, advice);
      return note(
        'tools',
        {
          en: `${name} is there, but does not say its version (${failure || 'no number'})`,
          zh: `${name} 存在，但无法得知其版本（${failure || '没有版本号'}）`,
        },
        advice ?? { en: `Install ${name} anew, or remove it.`, zh: `请重新安装或删除 ${name}。` },
      );
    }),
  );
}
