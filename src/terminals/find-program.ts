import { access, constants, lstat, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string>>;
}

/** Finds a program by its absolute path, or by its name in PATH. Null if it does not exist. */
export async function findProgram(name: string, machine: Machine): Promise<string | null> {
  for (const path of possiblePaths(name, machine)) {
    if (await isProgram(path, machine.platform)) return path;
  }
  return null;
}

function possiblePaths(name: string, { platform, environment }: Machine): string[] {
  const names = platform === 'win32' && !/\.[a-z]+$/i.test(name) ? [`${name}.exe`] : [name];
  if (isAbsolute(name)) return names;
  // A relative path would mean a different program in every working directory.
  if (/[/\\]/.test(name)) return [];
  const key = Object.keys(environment).find((variable) => variable.toUpperCase() === 'PATH');
  const folders = (key === undefined ? '' : (environment[key] ?? '')).split(delimiter).filter(isAbsolute);
  return folders.flatMap((folder) => names.map((file) => join(folder, file)));
}

async function isProgram(path: string, platform: NodeJS.Platform): Promise<boolean> {
  try {
    // Windows Terminal is an alias that can be started but not opened as a file.
    if (platform === 'win32') return !(await lstat(path)).isDirectory();
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
