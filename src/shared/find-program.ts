import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string>>;

/** Whether a program of this name is on PATH. */
export async function isOnPath(name: string, env: Environment): Promise<boolean> {
  return isAbsolute(name) ? isExecutable(name) : (await findOnPath(name, env)) !== null;
}

/** The first program of this name on PATH, or null. */
export async function findOnPath(name: string, env: Environment): Promise<string | null> {
  for await (const path of executablesOnPath(name, env)) return path;
  return null;
}

/** All programs of this name on PATH, in order. */
export async function* executablesOnPath(name: string, env: Environment): AsyncGenerator<string> {
  for (const folder of pathFolders(env)) {
    const path = join(folder, executableName(name));
    if (await isExecutable(path)) yield path;
  }
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** The folders on PATH. A relative one would mean different programs in every working directory, so it is left out. */
export function pathFolders(env: Environment): string[] {
  // Windows calls it `Path`.
  const key = Object.keys(env).find((name) => name.toUpperCase() === 'PATH');
  const path = key === undefined ? '' : (env[key] ?? '');
  return [...new Set(path.split(delimiter).filter(isAbsolute))];
}

function executableName(name: string): string {
  return process.platform !== 'win32' || /\.(?:exe|cmd)$/i.test(name) ? name : `${name}.exe`;
}
