import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder in which systemd searches the units of a user. */
export function userUnitFolder(env: NodeJS.ProcessEnv = process.env): string {
  // The XDG specification requires that a relative path is ignored.
  const config = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(homedir(), '.config');
  return join(config, 'systemd', 'user');
}

/** PATH of the user. A login service gets a shorter one and would not find the interpreters of scripts. */
export function searchPath(env: NodeJS.ProcessEnv = process.env): string {
  return env.PATH ?? '';
}
