import { access, constants, lstat, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string>>;
}

/** Where a program is: an absolute path as it was given, a name on PATH. Null when it is not there. */
export async function findProgram(name: string, machine: Machine): Promise<string | null> {
  for (const path of possiblePaths(name, machine)) {
    if (await isProgram(path, machine.platform)) return path;
  }
  return null;
}

function possiblePaths(name: string, { platform, environment }: Machine): string[] {
  const names = platform === 'win32' && !/\.[a-z]+$/i.test(name) ? [`${name}.exe`] : [name];
  if (isAbsolute(name)) return names;
  // A relative path would be another program in every folder.
  if (/[/\\]/.test(name)) return [];
  const key = Object.keys(environment).find((variable) => variable.toUpperCase() === 'PATH');
  const folders = (key === undefined ? '' : (environment[key] ?? '')).split(delimiter).filter(isAbsolute);
  return folders.flatMap((folder) => names.map((file) => join(folder, file)));
}

async function isProgram(path: string, platform: NodeJS.Platform): Promise<boolean> {
  try {
    // Windows Terminal is an alias that can be started, but not opened.
    if (platform === 'win32') return !(await lstat(path)).isDirectory();
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
