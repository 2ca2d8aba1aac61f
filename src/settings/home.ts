import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Hob's own folder: the flag, otherwise HOB_HOME, otherwise the platform's folder for program data. */
export function resolveHome(
  flag: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const chosen = flag ?? env.HOB_HOME;
  return chosen ? resolve(chosen) : defaultHome(env, platform);
}

/** Path of the settings file. */
export function settingsFile(home: string): string {
  return join(home, 'settings.toml');
}

function defaultHome(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'hob');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'hob');
  // The XDG specification requires that a relative path is ignored.
  const dataHome = env.XDG_DATA_HOME?.startsWith('/')
    ? env.XDG_DATA_HOME
    : join(homedir(), '.local', 'share');
  return join(dataHome, 'hob');
}
