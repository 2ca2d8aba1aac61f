import { lstat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';

import { isExecutable, pathFolders } from '../shared/find-program.ts';

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
  return pathFolders(environment).flatMap((folder) => names.map((file) => join(folder, file)));
}

async function isProgram(path: string, platform: NodeJS.Platform): Promise<boolean> {
  if (platform !== 'win32') return isExecutable(path);
  // Windows Terminal is an alias that can be started but not opened as a file.
  return (await lstat(path).catch(() => null))?.isDirectory() === false;
}
