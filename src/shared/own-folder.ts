import { lstatSync } from 'node:fs';

/**
 * Whether the folder of a run is still a folder. A script may have replaced it by a link, and through that link Hob
 * would read, write or remove files of others. Call it directly before each use. A script that outlives its run can
 * still create a link in between, but reaches only what its user can reach anyway. A synchronous check takes
 * microseconds, less than one in a thread.
 */
export function isOwnFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
