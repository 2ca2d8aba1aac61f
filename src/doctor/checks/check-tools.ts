import { isOnPath } from '../../scripts/runtimes/find-interpreter.ts';
import { runCommand } from '../../shared/run-command.ts';
import { type Finding, note, ok } from '../finding.ts';
import type { Patient } from '../patient.ts';

interface Tool {
  readonly name: string;
  /** What is said where it is missing; without advice nothing is lost. */
  readonly missing: string;
  readonly advice: string | null;
}

const tools: readonly Tool[] = [
  { name: 'uv', missing: 'uv is not installed; venv and pip do its work', advice: null },
  {
    name: 'npm',
    missing: 'npm is not installed: scripts with a package.json get no environment',
    advice: 'Install Node.js with npm: https://nodejs.org/ (Debian, Ubuntu: apt install npm)',
  },
  {
    name: 'git',
    missing: 'git is not installed: nothing can be installed from git repositories',
    advice: 'Install git: https://git-scm.com/downloads (Debian, Ubuntu: apt install git)',
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
      if (file.endsWith('.cmd')) return ok('tools', name);
      const {
        ok: isWell,
        stdout,
        failure,
      } = await runCommand(file, ['--version'], { env: { ...environment }, timeoutMs, signal });
      const version = /\d+(?:\.\d+)+/.exec(stdout)?.[0];
      if (isWell && version !== undefined) return ok('tools', `${name} ${version}`);
      if (failure === 'ENOENT')
        return advice === null ? ok('tools', missing) : note('tools', missing, advice);
      return note(
        'tools',
        `${name} is there, but does not say its version (${failure || 'no number'})`,
        advice ?? `Install ${name} anew, or remove it.`,
      );
    }),
  );
}
