import { lstat } from 'node:fs/promises';

/**
 * Whether the folder of a run is still a folder: a script may have put a link in its place, and what is read, written or removed
 * by way of that is somebody else's. To be asked right before each use; a script that outlives its run and puts a link there in the
 * moment in between reaches nothing but what its user could reach anyway.
 */
export async function isOwnFolder(path: string): Promise<boolean> {
  const folder = await lstat(path).catch(() => null);
  return folder?.isDirectory() ?? false;
}
