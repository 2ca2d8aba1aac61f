import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where systemd looks for the units of a user. */
export function userUnitFolder(env: NodeJS.ProcessEnv = process.env): string {
  // The XDG rules say that a relative path is to be ignored.
  const config = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(homedir(), '.config');
  return join(config, 'systemd', 'user');
}

/** PATH of the user. A login service gets a shorter one and would not find the interpreters of scripts. */
export function searchPath(env: NodeJS.ProcessEnv = process.env): string {
  return env.PATH ?? '';
}
