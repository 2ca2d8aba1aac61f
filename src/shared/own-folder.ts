import { lstatSync } from 'node:fs';

/**
 * Whether the folder of a run is still a folder: a script may have put a link in its place, and what is read, written or removed
 * by way of that is somebody else's. To be asked right before each use; a script that outlives its run and puts a link there in the
 * moment in between reaches nothing but what its user could reach anyway. A look takes microseconds, less than asking a thread to look.
 */
export function isOwnFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
