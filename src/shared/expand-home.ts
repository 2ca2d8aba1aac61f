import { homedir } from 'node:os';
import { join } from 'node:path';

/** Replaces `~` at the beginning of a path with the home folder of the user, as a shell does. */
export function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}
