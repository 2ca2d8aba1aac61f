import { access, constants, realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

/** Path of a program on PATH, or null. */
export async function findOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const key = Object.keys(env).find((each) => each.toUpperCase() === 'PATH');
  const folders = (key === undefined ? '' : (env[key] ?? '')).split(delimiter).filter(isAbsolute);
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isProgram(path)) return path;
  }
  return null;
}

/**
 * Returns the npm program of a Node.js, to be run by that Node.js, or null. A version manager installs it next to its Node.js; a
 * distribution may install it anywhere, with a link on PATH.
 */
export async function findNpm(node: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const windows = process.platform === 'win32';
  const real = await realpath(node).catch(() => node);
  const inside = join('node_modules', 'npm', 'bin', 'npm-cli.js');
  for (const folder of new Set([dirname(node), dirname(real)])) {
    const path = windows ? join(folder, inside) : join(folder, '..', 'lib', inside);
    if (await isFile(path)) return path;
  }
  const onPath = await findOnPath(windows ? 'npm.cmd' : 'npm', env);
  if (onPath === null) return null;
  if (windows) return (await isFile(join(dirname(onPath), inside))) ? join(dirname(onPath), inside) : null;
  const program = await realpath(onPath).catch(() => onPath);
  return program.endsWith('npm-cli.js') ? program : null;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return await isFile(path);
  } catch {
    return false;
  }
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true;
}
